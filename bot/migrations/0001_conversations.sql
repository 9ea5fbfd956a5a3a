CREATE TABLE inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of arrival
  channel TEXT NOT NULL,
  platform_id TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  raw TEXT NOT NULL,                 -- the payload as it came; emptied when it is done
  received_at TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting', -- waiting · done · quarantined
  turn_id TEXT,
  UNIQUE (channel, platform_id)
);
CREATE INDEX inbox_waiting ON inbox(channel, chat_id, id) WHERE state = 'waiting';
CREATE INDEX inbox_by_turn ON inbox(turn_id) WHERE turn_id IS NOT NULL;

CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  channel TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  visitor TEXT NOT NULL,
  name TEXT NOT NULL DEFAULT '',
  language TEXT NOT NULL DEFAULT '',
  answers TEXT NOT NULL DEFAULT '{}', -- to the questionnaire, by name
  asked TEXT NOT NULL DEFAULT '',     -- the questionnaire's question that waits for its answer
  held TEXT NOT NULL DEFAULT '',      -- the question that waits until the questionnaire is done
  reset_at TEXT,
  handed_over_at TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (channel, chat_id)
);
CREATE INDEX conversations_by_visitor ON conversations(visitor);

CREATE TABLE turns (
  id TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,              -- in its conversation, from 1
  kind TEXT NOT NULL,                -- question · command · questionnaire
  question TEXT NOT NULL,
  rewritten TEXT NOT NULL DEFAULT '',
  reply TEXT NOT NULL,               -- as JSON
  answer TEXT NOT NULL,              -- its text
  outcome TEXT NOT NULL,
  language TEXT NOT NULL,
  model TEXT NOT NULL DEFAULT '',
  question_tokens INTEGER NOT NULL DEFAULT 0,
  answer_tokens INTEGER NOT NULL DEFAULT 0,
  prompt_tokens INTEGER NOT NULL DEFAULT 0,
  completion_tokens INTEGER NOT NULL DEFAULT 0,
  context_tokens INTEGER NOT NULL DEFAULT 0,
  confidence REAL,
  rating INTEGER,
  comment TEXT NOT NULL DEFAULT '',
  started_at TEXT NOT NULL,
  ended_at TEXT NOT NULL,
  UNIQUE (conversation_id, seq)
);
CREATE INDEX turns_by_time ON turns(started_at);

CREATE TABLE turn_hits (
  turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  url TEXT NOT NULL,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  score REAL NOT NULL,
  semantic REAL,
  keyword REAL,
  cited INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (turn_id, position)
);

CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  channel TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  part TEXT NOT NULL,                -- the channel's own JSON
  state TEXT NOT NULL DEFAULT 'waiting', -- waiting · sent · delivered · read · failed
  platform_id TEXT NOT NULL DEFAULT '',
  tries INTEGER NOT NULL DEFAULT 0,
  next_try_at TEXT NOT NULL,
  error TEXT NOT NULL DEFAULT '',
  UNIQUE (turn_id, position)
);
CREATE INDEX deliveries_waiting ON deliveries(channel, chat_id, turn_id, position) WHERE state = 'waiting';
CREATE INDEX deliveries_by_platform ON deliveries(channel, platform_id) WHERE platform_id <> '';

CREATE TABLE topics (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,               -- the first question that was asked
  state TEXT NOT NULL DEFAULT 'open', -- open · closed
  model TEXT NOT NULL,
  vector BLOB,
  words TEXT NOT NULL,
  first_at TEXT NOT NULL,
  last_at TEXT NOT NULL
);

CREATE TABLE gaps (
  id TEXT PRIMARY KEY,
  turn_id TEXT NOT NULL UNIQUE REFERENCES turns(id) ON DELETE CASCADE,
  topic_id TEXT NOT NULL REFERENCES topics(id) ON DELETE CASCADE,
  question TEXT NOT NULL,
  reason TEXT NOT NULL,              -- nothing_found · not_covered · not_supported
  channel TEXT NOT NULL,
  language TEXT NOT NULL,
  confidence REAL NOT NULL,
  best_semantic REAL NOT NULL,
  best_keyword REAL NOT NULL,
  nearest TEXT NOT NULL,             -- a JSON list of title and address
  asked_at TEXT NOT NULL
);
CREATE INDEX gaps_by_topic ON gaps(topic_id, asked_at);

CREATE TABLE jobs (
  name TEXT PRIMARY KEY,
  ran_at TEXT NOT NULL,
  took_ms REAL NOT NULL,
  ok INTEGER NOT NULL,
  result TEXT NOT NULL
);

CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  who TEXT NOT NULL,
  did TEXT NOT NULL,
  what TEXT NOT NULL
);
