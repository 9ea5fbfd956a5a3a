-- What repeats across a site's pages, and what their frames tell: learned at a crawl's end, used by the next one.
CREATE TABLE frame_lines (
  source_id TEXT NOT NULL REFERENCES sources(id) ON DELETE CASCADE,
  key TEXT NOT NULL,                      -- the line's words
  line TEXT NOT NULL,
  PRIMARY KEY (source_id, key)
);

ALTER TABLE documents ADD COLUMN frame_facts TEXT NOT NULL DEFAULT ''; -- JSON; empty: not a web page
