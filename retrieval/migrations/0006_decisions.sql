-- What a crawl decided on an address is kept as data (retrieval/decision.py has the list of kinds), not as English.
ALTER TABLE crawl_pages ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE crawl_pages ADD COLUMN target TEXT NOT NULL DEFAULT ''; -- the address or pattern that it points to
ALTER TABLE crawl_pages ADD COLUMN detail TEXT NOT NULL DEFAULT ''; -- what else a person should know
ALTER TABLE addresses ADD COLUMN kind TEXT NOT NULL DEFAULT '';     -- empty: nothing was decided yet
ALTER TABLE addresses ADD COLUMN target TEXT NOT NULL DEFAULT '';
ALTER TABLE addresses ADD COLUMN detail TEXT NOT NULL DEFAULT '';

CREATE TEMP TABLE known_words (words TEXT, kind TEXT, part TEXT); -- part: what follows the words (target or detail)
INSERT INTO known_words VALUES
  ('the server says so', 'not_modified', ''),
  ('the same content', 'same_content', ''),
  ('the same text as ', 'twin', 'target'),
  ('the same text', 'same_text', ''),
  ('what every page tells', 'site_facts', ''),
  ('waits for the end of the crawl', 'waits_for_end', ''),
  ('not believed: ', 'not_believed', 'detail'),
  ('robots.txt disallows it', 'robots', ''),
  ('robots.txt can''t be read (', 'robots_unreadable', 'detail'),
  ('not asked: the host ', 'host_stopped', 'detail'),
  ('another site', 'other_site', ''),
  ('outside ', 'other_folder', 'target'),
  ('not a page', 'not_a_page', ''),
  ('matches no include pattern', 'not_included', ''),
  ('matches an exclude pattern', 'excluded', ''),
  ('more than max_depth = ', 'too_deep', 'detail'),
  ('more than max_pages = ', 'beyond_limit', 'detail'),
  ('holds a user name or password', 'credentials', ''),
  ('is longer than ', 'too_long', 'detail'),
  ('its path repeats itself', 'repeating', ''),
  ('looks endless: more than 50 addresses like ', 'endless', 'target'),
  ('redirects more than ', 'redirect_loop', 'detail'),
  ('redirects to ', 'moved', 'target'),
  ('the page asks not to be indexed', 'noindex', ''),
  ('its canonical address is ', 'canonical', 'target'),
  ('asks for a login', 'login', ''),
  ('isn''t there any more', 'missing', ''),
  ('needs JavaScript', 'needs_script', ''),
  ('holds no text', 'no_text', ''),
  ('is not a kind of file that can be read', 'unknown_file', '');

UPDATE crawl_pages SET (kind, target, detail) = (
  SELECT k.kind,
    CASE k.part WHEN 'target' THEN substr(reason, length(k.words) + 1) ELSE '' END,
    CASE k.part WHEN 'detail' THEN substr(reason, length(k.words) + 1) ELSE '' END
  FROM known_words k WHERE substr(reason, 1, length(k.words)) = k.words ORDER BY length(k.words) DESC LIMIT 1
) WHERE decision NOT IN ('added', 'changed')
  AND EXISTS (SELECT 1 FROM known_words k WHERE substr(reason, 1, length(k.words)) = k.words);
UPDATE addresses SET (kind, target, detail) = (
  SELECT k.kind,
    CASE k.part WHEN 'target' THEN substr(reason, length(k.words) + 1) ELSE '' END,
    CASE k.part WHEN 'detail' THEN substr(reason, length(k.words) + 1) ELSE '' END
  FROM known_words k WHERE substr(reason, 1, length(k.words)) = k.words ORDER BY length(k.words) DESC LIMIT 1
) WHERE decision NOT IN ('', 'added', 'changed')
  AND EXISTS (SELECT 1 FROM known_words k WHERE substr(reason, 1, length(k.words)) = k.words);
DROP TABLE known_words;

-- Words that aren't in the list stay as the detail of the widest kind of their state.
UPDATE crawl_pages SET detail = reason, kind = CASE decision
    WHEN 'added' THEN 'added' WHEN 'changed' THEN 'changed' WHEN 'unchanged' THEN 'same_text' WHEN 'kept' THEN 'not_believed'
    WHEN 'gone' THEN 'not_found' WHEN 'failed' THEN 'not_converted' ELSE 'other' END
  WHERE kind = '';
UPDATE addresses SET detail = reason, kind = CASE decision
    WHEN 'added' THEN 'added' WHEN 'changed' THEN 'changed' WHEN 'unchanged' THEN 'same_text' WHEN 'kept' THEN 'not_believed'
    WHEN 'gone' THEN 'not_found' WHEN 'failed' THEN 'not_converted' ELSE 'other' END
  WHERE kind = '' AND decision <> '';
UPDATE crawl_pages SET kind = 'not_believed_new' WHERE kind = 'not_believed' AND decision = 'skipped';
UPDATE addresses SET kind = 'not_believed_new' WHERE kind = 'not_believed' AND decision = 'skipped';
UPDATE crawl_pages SET kind = 'moved_too_often' WHERE kind = 'redirect_loop' AND decision = 'skipped';
UPDATE crawl_pages SET detail = reason WHERE kind = 'redirect_loop';
UPDATE addresses SET kind = 'moved_too_often' WHERE kind = 'redirect_loop' AND decision = 'skipped';
UPDATE addresses SET detail = reason WHERE kind = 'redirect_loop';
-- A redirect that isn't followed has its reason behind the target.
UPDATE crawl_pages SET detail = substr(target, instr(target, ': ') + 2), target = substr(target, 1, instr(target, ': ') - 1)
  WHERE kind = 'moved' AND instr(target, ': ') > 0;
UPDATE addresses SET detail = substr(target, instr(target, ': ') + 2), target = substr(target, 1, instr(target, ': ') - 1)
  WHERE kind = 'moved' AND instr(target, ': ') > 0;
-- Of a number with its unit the number; of what stands in brackets what is inside.
UPDATE crawl_pages SET detail = rtrim(detail, ' acehiklmrstwy') WHERE kind IN ('moved_too_often', 'too_long', 'too_deep');
UPDATE addresses SET detail = rtrim(detail, ' acehiklmrstwy') WHERE kind IN ('moved_too_often', 'too_long', 'too_deep');
UPDATE crawl_pages SET detail = rtrim(detail, ')') WHERE kind = 'robots_unreadable';
UPDATE addresses SET detail = rtrim(detail, ')') WHERE kind = 'robots_unreadable';

ALTER TABLE crawl_pages DROP COLUMN decision;
ALTER TABLE crawl_pages DROP COLUMN reason;
ALTER TABLE addresses DROP COLUMN decision;
ALTER TABLE addresses DROP COLUMN reason;
ALTER TABLE held_pages RENAME COLUMN why TO canonical; -- the address that the page names as its own; empty: it lost its text
