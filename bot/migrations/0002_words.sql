-- One word for one thing: what a column holds is what it is called.
ALTER TABLE conversations RENAME COLUMN asked TO asked_item;       -- the questionnaire's item that waits for its answer
ALTER TABLE conversations RENAME COLUMN held TO waiting_question;  -- the visitor's question that waits until that is done
ALTER TABLE turns ADD COLUMN address TEXT NOT NULL DEFAULT '';     -- JSON: whom and what the reply answers (bot/messages.py)
