-- Ids of chunks are never used again, so that logs and vectors mean what they meant; a chunk may have a larger parent, which
-- is what a hit shows, and sentences that say where in its document it stands, which are only searched.
CREATE TABLE parents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  page INTEGER
);
CREATE INDEX parents_by_document ON parents(document_id);

CREATE TABLE kept_embeddings AS SELECT * FROM embeddings; -- dropping the old chunks takes theirs along
CREATE TABLE new_chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  heading_path TEXT NOT NULL,        -- a JSON list
  text TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  page INTEGER,                      -- of a PDF, from 1
  parent_id INTEGER REFERENCES parents(id),
  context TEXT NOT NULL DEFAULT '',
  UNIQUE (document_id, position)
);
INSERT INTO new_chunks (id, document_id, position, heading_path, text, tokens, page)
  SELECT id, document_id, position, heading_path, text, tokens, page FROM chunks ORDER BY id;
DROP TABLE chunks;
ALTER TABLE new_chunks RENAME TO chunks;
CREATE INDEX chunks_by_parent ON chunks(parent_id);
INSERT INTO embeddings SELECT * FROM kept_embeddings;
DROP TABLE kept_embeddings;

ALTER TABLE documents ADD COLUMN summary TEXT NOT NULL DEFAULT '';      -- what contexts are written from
ALTER TABLE documents ADD COLUMN summary_hash TEXT NOT NULL DEFAULT ''; -- of the Markdown and the prompt that it was made from
