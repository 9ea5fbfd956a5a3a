CREATE TABLE sources (
  id TEXT PRIMARY KEY,               -- the address or path itself
  kind TEXT NOT NULL,                -- site · file · upload
  knowledge TEXT NOT NULL DEFAULT 'default',
  every TEXT NOT NULL DEFAULT '1d',
  added_at TEXT NOT NULL,
  crawled_at TEXT                    -- the last crawl that reached its end
);

CREATE TABLE documents (
  id TEXT PRIMARY KEY,
  source_id TEXT NOT NULL REFERENCES sources(id) ON DELETE CASCADE,
  url TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  language TEXT NOT NULL,
  markdown TEXT NOT NULL,
  content_hash TEXT NOT NULL,        -- of the raw bytes: decides whether to convert
  markdown_hash TEXT NOT NULL,       -- of the Markdown: decides whether to index
  etag TEXT NOT NULL DEFAULT '',
  last_modified TEXT NOT NULL DEFAULT '',
  fetched_at TEXT NOT NULL,
  missed INTEGER NOT NULL DEFAULT 0, -- crawls in a row that didn't find it
  tombstoned_at TEXT
);
CREATE INDEX documents_by_source ON documents(source_id);

CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  heading_path TEXT NOT NULL,        -- a JSON list
  text TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  page INTEGER,                      -- of a PDF, from 1
  UNIQUE (document_id, position)
);

CREATE VIRTUAL TABLE chunk_words USING fts5(
  title, headings, text,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co' tokenchars '_'"
);
CREATE VIRTUAL TABLE chunk_vocabulary USING fts5vocab(chunk_words, row);

CREATE TABLE embeddings (
  chunk_id INTEGER PRIMARY KEY REFERENCES chunks(id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  text_hash TEXT NOT NULL,
  vector BLOB NOT NULL               -- float32, little endian, unit length
);

CREATE TABLE crawls (
  id TEXT PRIMARY KEY,
  source_id TEXT NOT NULL REFERENCES sources(id) ON DELETE CASCADE,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  outcome TEXT NOT NULL DEFAULT 'running', -- running · complete · braked · failed
  note TEXT NOT NULL DEFAULT ''
);
CREATE INDEX crawls_by_source ON crawls(source_id, started_at);

CREATE TABLE crawl_pages (
  crawl_id TEXT NOT NULL REFERENCES crawls(id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  decision TEXT NOT NULL,            -- added · changed · unchanged · gone · skipped · failed
  reason TEXT NOT NULL DEFAULT '',
  change TEXT NOT NULL DEFAULT '',   -- facts that changed, old → new
  PRIMARY KEY (crawl_id, url)
);

CREATE TABLE calibrations (
  model TEXT PRIMARY KEY,
  off_topic_mean REAL NOT NULL,
  off_topic_deviation REAL NOT NULL,
  chunks INTEGER NOT NULL,
  made_at TEXT NOT NULL
);
