-- What unrelated questions reach depends on their language as well as on the index.
DROP TABLE calibrations;
CREATE TABLE calibrations (
  model TEXT NOT NULL,
  language TEXT NOT NULL,           -- of the questions
  off_topic REAL NOT NULL,          -- the mean of their best cosines
  chunks INTEGER NOT NULL,
  made_at TEXT NOT NULL,
  PRIMARY KEY (model, language)
);

-- A chunk keeps the vector of the model that was before until all chunks have one of the new model.
CREATE TABLE new_embeddings (
  chunk_id INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  text_hash TEXT NOT NULL,
  vector BLOB NOT NULL,             -- float32, little endian, unit length
  PRIMARY KEY (chunk_id, model)
) WITHOUT ROWID;
INSERT INTO new_embeddings SELECT chunk_id, model, dimension, text_hash, vector FROM embeddings;
DROP TABLE embeddings;
ALTER TABLE new_embeddings RENAME TO embeddings;

-- Raised by each change of the index, so that a process sees what another one wrote.
CREATE TABLE generation (number INTEGER NOT NULL);
INSERT INTO generation VALUES (0);
