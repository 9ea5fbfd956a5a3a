-- What a crawl knows of each address of a source, so that it goes on after it was broken off and asks only for news.
CREATE TABLE addresses (
  source_id TEXT NOT NULL REFERENCES sources(id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  depth INTEGER NOT NULL,
  priority REAL,                          -- the sitemap's; NULL: no sitemap names it
  lastmod TEXT NOT NULL DEFAULT '',
  links_in INTEGER NOT NULL DEFAULT 0,
  hops INTEGER NOT NULL DEFAULT 0,        -- redirects that led to it
  crawl_id TEXT NOT NULL DEFAULT '',      -- the crawl that last asked it
  etag TEXT NOT NULL DEFAULT '',          -- these three for addresses that hold no document: of what was read there
  last_modified TEXT NOT NULL DEFAULT '',
  content_hash TEXT NOT NULL DEFAULT '',
  decision TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (source_id, url)
);

-- Pages that wait for the end of a crawl: whether to believe them is known only then.
CREATE TABLE held_pages (
  crawl_id TEXT NOT NULL REFERENCES crawls(id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  why TEXT NOT NULL,                      -- changed · canonical
  document TEXT NOT NULL,                 -- JSON
  content_hash TEXT NOT NULL,
  etag TEXT NOT NULL,
  last_modified TEXT NOT NULL,
  PRIMARY KEY (crawl_id, url)
);

ALTER TABLE crawls ADD COLUMN recipe TEXT NOT NULL DEFAULT ''; -- the settings that it ran with
