CREATE TABLE mcpwire_schema (version INTEGER NOT NULL);
CREATE TABLE mcpwire_record (
     n INTEGER PRIMARY KEY, ns TEXT NOT NULL, key TEXT NOT NULL,
     value TEXT NOT NULL, revision TEXT NOT NULL, expires_at REAL NOT NULL
   );
CREATE TABLE mcpwire_log (
     n INTEGER PRIMARY KEY, ns TEXT NOT NULL, name TEXT NOT NULL,
     first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, bytes INTEGER NOT NULL,
     is_ended INTEGER NOT NULL, expires_at REAL NOT NULL
   );
CREATE TABLE mcpwire_entry (
     log INTEGER NOT NULL, seq INTEGER NOT NULL, writer TEXT NOT NULL, nth INTEGER NOT NULL,
     bytes INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (log, seq)
   ) WITHOUT ROWID;
CREATE TABLE mcpwire_message (
     n INTEGER PRIMARY KEY, ns TEXT NOT NULL, topic TEXT NOT NULL, text TEXT NOT NULL, sent_at REAL NOT NULL
   );
CREATE TABLE mcpwire_bucket (
     ns TEXT NOT NULL, key TEXT NOT NULL, full_at REAL NOT NULL, PRIMARY KEY (ns, key)
   ) WITHOUT ROWID;
CREATE TABLE mcpwire_place (
     ns TEXT NOT NULL, key TEXT NOT NULL, holder TEXT NOT NULL, expires_at REAL NOT NULL, PRIMARY KEY (ns, key, holder)
   ) WITHOUT ROWID;
CREATE TABLE mcpwire_task (
     n INTEGER PRIMARY KEY, ns TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL, kind TEXT NOT NULL, dialect TEXT NOT NULL,
     given_ttl_ms REAL, keep_ms REAL NOT NULL, max_attempts INTEGER NOT NULL, claimable_at REAL NOT NULL,
     created_at REAL NOT NULL, updated_at REAL NOT NULL, ttl_ms REAL, poll_interval_ms REAL NOT NULL,
     place INTEGER NOT NULL, status TEXT NOT NULL, status_message TEXT,
     attempt INTEGER NOT NULL, tries INTEGER NOT NULL, revision INTEGER NOT NULL,
     lease_ends_at REAL, cancelled_at REAL, moved_at REAL NOT NULL, was_answered INTEGER NOT NULL, has_parts INTEGER NOT NULL,
     queue_at REAL, due_at REAL NOT NULL, input TEXT NOT NULL, outcome TEXT
   );
CREATE TABLE mcpwire_task_part (
     task INTEGER NOT NULL, type INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (task, type, name)
   ) WITHOUT ROWID;
CREATE TABLE mcpwire_task_count (
     ns TEXT NOT NULL, owner TEXT NOT NULL, open INTEGER NOT NULL, PRIMARY KEY (ns, owner)
   ) WITHOUT ROWID;
INSERT INTO mcpwire_schema (version) VALUES (1);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (1, 'snapshot', '~server', 'kr-UFsmodgVz', '', 1797448931899.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (2, 'snapshot', 'plain', 'a value: ä 0 "quoted"', 'VRUOdAuy_ab4.1', 1794943331900.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (3, 'snapshot', 'c.seal', '{"v":1}', 'VRUOdAuy_ab4.2', 1794856947209.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (4, 'snapshot', 'n.vXIxyRYR8qSX', '{"v":1,"release":"0.3.0","isDraining":false}', 'VRUOdAuy_ab4.3', 1794856947210.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (5, 'snapshot', 'k.vXIxyRYR8qSX', '{"v":1,"release":"0.3.0","isDraining":false}', 'VRUOdAuy_ab4.4', 1794857532211.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (6, 'snapshot', 's.gPLZWoCjObf0iX84oeavq8w4PwcN7vlgoU2PTklmA0k', '{"v":1,"principal":null,"home":"vXIxyRYR8qSX","streamKey":"VKoiKujCGtP9SfNg6Z3yRK_P_Kj7AzlT9XLAAPxW_Y4","version":"2025-11-25","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}},"declared":{"tools":{"listChanged":true},"logging":{}},"isInitialized":true,"watched":[],"listening":{"node":"vXIxyRYR8qSX","stream":"vXIxyRYR8qSXh7mg9XQYL_jx82lCX8hGzt","turn":1,"sent":1,"isOpen":false},"hasValues":true}', 'VRUOdAuy_ab4.10', 1794858732527.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (7, 'snapshot', 'd.gPLZWoCjObf0iX84oeavq8w4PwcN7vlgoU2PTklmA0k', '["jAmb1GASm6Gq",["n",1]]', 'VRUOdAuy_ab4.8', 1794860532520.0);
INSERT INTO mcpwire_log (n, ns, name, first_seq, last_seq, bytes, is_ended, expires_at) VALUES (1, 'snapshot', 'open', 1, 2, 14, 0, 1794943331901.0);
INSERT INTO mcpwire_log (n, ns, name, first_seq, last_seq, bytes, is_ended, expires_at) VALUES (2, 'snapshot', 'ended', 1, 1, 12, 1, 1794943331901.0);
INSERT INTO mcpwire_log (n, ns, name, first_seq, last_seq, bytes, is_ended, expires_at) VALUES (3, 'snapshot', 'posted', 3, 5, 27, 0, 1794943332000.0);
INSERT INTO mcpwire_log (n, ns, name, first_seq, last_seq, bytes, is_ended, expires_at) VALUES (4, 'snapshot', 'l:lIZBt-xRdwVWpz48G6NU4yhJgOuztZuIMQz9vNoJ3IY', 1, 2, 128, 0, 1794858732527.0);
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (1, 1, 'w', 0, 7, 'event 1');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (1, 2, 'w', 0, 7, 'event 2');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (2, 1, 'w', 0, 12, 'the only one');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (3, 1, 'w', 1, 0, '');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (3, 2, 'w', 2, 0, '');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (3, 3, 'w', 3, 9, 'message 3');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (3, 4, 'w', 4, 9, 'message 4');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (3, 5, 'w', 5, 9, 'message 5');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (4, 1, 'vXIxyRYR8qSX.WtQhrBiZ', 1, 64, '1e
{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (4, 2, 'vXIxyRYR8qSX.WtQhrBiZ', 2, 64, '1e
{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (1, 'snapshot', 'work', '', 1794856932011.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (2, 'snapshot', 'changed', 'completed', 1794856932012.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (3, 'snapshot', 'work', '', 1794856932013.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (4, 'snapshot', 'changed', 'cancelled', 1794856932013.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (5, 'snapshot', 'work', '', 1794856932013.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (6, 'snapshot', 'changed', 'parked', 1794856932023.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (7, 'snapshot', 'work', '', 1794856932026.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (8, 'snapshot', 'changed', 'leased', 1794856932027.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (9, 'snapshot', 'work', '', 1794856932027.0);
INSERT INTO mcpwire_bucket (ns, key, full_at) VALUES ('snapshot', 'bucket', 1794859932010.0);
INSERT INTO mcpwire_place (ns, key, holder, expires_at) VALUES ('snapshot', 'places', 'holder', 1794943332010.0);
INSERT INTO mcpwire_task (n, ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at, ttl_ms, poll_interval_ms, place, status, status_message, attempt, tries, revision, lease_ends_at, cancelled_at, moved_at, was_answered, has_parts, queue_at, due_at, input, outcome) VALUES (1, 'snapshot', 'completed', 'ada', 'report', 'extension', 86400000.0, 86400000.0, 3, 1794856932011.0, 1794856932011.0, 1794856932012.0, 86400001.0, 500.0, 4, 'completed', NULL, 1, 1, 2, 1794857532012.0, NULL, 1794856932012.0, 0, 0, NULL, 1794943332012.0, '', 'the outcome');
INSERT INTO mcpwire_task (n, ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at, ttl_ms, poll_interval_ms, place, status, status_message, attempt, tries, revision, lease_ends_at, cancelled_at, moved_at, was_answered, has_parts, queue_at, due_at, input, outcome) VALUES (2, 'snapshot', 'cancelled', 'ada', 'report', 'extension', 86400000.0, 86400000.0, 3, 1794856932013.0, 1794856932013.0, 1794856932013.0, 86400000.0, 500.0, 4, 'cancelled', NULL, 1, 0, 2, NULL, NULL, 1794856932013.0, 0, 0, NULL, 1794943332013.0, '', NULL);
INSERT INTO mcpwire_task (n, ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at, ttl_ms, poll_interval_ms, place, status, status_message, attempt, tries, revision, lease_ends_at, cancelled_at, moved_at, was_answered, has_parts, queue_at, due_at, input, outcome) VALUES (3, 'snapshot', 'parked', 'ada', 'report', 'extension', 86400000.0, 86400000.0, 3, 1794856932013.0, 1794856932013.0, 1794856932023.0, 86400000.0, 500.0, 3, 'input_required', NULL, 1, 0, 2, NULL, NULL, 1794856932026.0, 0, 1, NULL, 1794943332013.0, '{"ä":1}', NULL);
INSERT INTO mcpwire_task (n, ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at, ttl_ms, poll_interval_ms, place, status, status_message, attempt, tries, revision, lease_ends_at, cancelled_at, moved_at, was_answered, has_parts, queue_at, due_at, input, outcome) VALUES (4, 'snapshot', 'leased', 'ada', 'report', 'extension', 86400000.0, 86400000.0, 3, 1794856932026.0, 1794856932026.0, 1794856932027.0, 172800001.0, 500.0, 1, 'working', 'half way', 1, 1, 2, 1794857532027.0, NULL, 1794856932027.0, 0, 0, NULL, 1794857532027.0, '{"ä":1}', NULL);
INSERT INTO mcpwire_task (n, ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at, ttl_ms, poll_interval_ms, place, status, status_message, attempt, tries, revision, lease_ends_at, cancelled_at, moved_at, was_answered, has_parts, queue_at, due_at, input, outcome) VALUES (5, 'snapshot', 'ready', 'ada', 'report', 'extension', 86400000.0, 86400000.0, 3, 1794856932027.0, 1794856932027.0, 1794856932027.0, 86400000.0, 500.0, 0, 'working', NULL, 0, 0, 1, NULL, NULL, 1794856932027.0, 0, 0, 1794856932027.0, 1794943332027.0, '{"ä":1}', NULL);
INSERT INTO mcpwire_task_part (task, type, name, value) VALUES (3, 1, 'read', '"step"');
INSERT INTO mcpwire_task_part (task, type, name, value) VALUES (3, 3, 'question', '{}');
INSERT INTO mcpwire_task_count (ns, owner, open) VALUES ('snapshot', '', 3);
INSERT INTO mcpwire_task_count (ns, owner, open) VALUES ('snapshot', 'ada', 3);
CREATE UNIQUE INDEX mcpwire_record_key ON mcpwire_record (ns, key);
CREATE INDEX mcpwire_record_expiry ON mcpwire_record (expires_at);
CREATE UNIQUE INDEX mcpwire_log_name ON mcpwire_log (ns, name);
CREATE INDEX mcpwire_log_expiry ON mcpwire_log (expires_at);
CREATE INDEX mcpwire_entry_post ON mcpwire_entry (log, writer, nth) WHERE nth > 0;
CREATE INDEX mcpwire_bucket_expiry ON mcpwire_bucket (full_at);
CREATE INDEX mcpwire_place_expiry ON mcpwire_place (expires_at);
CREATE UNIQUE INDEX mcpwire_task_id ON mcpwire_task (ns, id);
CREATE INDEX mcpwire_task_owner ON mcpwire_task (ns, owner, dialect, created_at);
CREATE INDEX mcpwire_task_queue ON mcpwire_task (ns, kind, queue_at) WHERE queue_at IS NOT NULL;
CREATE INDEX mcpwire_task_due ON mcpwire_task (due_at);
CREATE TRIGGER mcpwire_task_made AFTER INSERT ON mcpwire_task BEGIN
     INSERT INTO mcpwire_task_count (ns, owner, open) VALUES (NEW.ns, NEW.owner, 1), (NEW.ns, char(1), 1)
       ON CONFLICT (ns, owner) DO UPDATE SET open = open + 1;
   END;
CREATE TRIGGER mcpwire_task_ended AFTER UPDATE OF place ON mcpwire_task
   WHEN NEW.place = 4 AND OLD.place <> 4 BEGIN UPDATE mcpwire_task_count SET open = open - 1 WHERE ns = OLD.ns AND owner IN (OLD.owner, char(1));
     DELETE FROM mcpwire_task_count WHERE ns = OLD.ns AND owner IN (OLD.owner, char(1)) AND open = 0; END;
CREATE TRIGGER mcpwire_task_removed AFTER DELETE ON mcpwire_task
   WHEN OLD.place <> 4 BEGIN UPDATE mcpwire_task_count SET open = open - 1 WHERE ns = OLD.ns AND owner IN (OLD.owner, char(1));
     DELETE FROM mcpwire_task_count WHERE ns = OLD.ns AND owner IN (OLD.owner, char(1)) AND open = 0; END;
CREATE TRIGGER mcpwire_task_offered AFTER INSERT ON mcpwire_task WHEN NEW.queue_at IS NOT NULL BEGIN
     INSERT INTO mcpwire_message (ns, topic, text, sent_at) VALUES (NEW.ns, 'work', '', NEW.moved_at);
   END;
CREATE TRIGGER mcpwire_task_offered_again AFTER UPDATE OF queue_at ON mcpwire_task
   WHEN NEW.queue_at IS NOT NULL AND OLD.queue_at IS NULL BEGIN
     INSERT INTO mcpwire_message (ns, topic, text, sent_at) VALUES (NEW.ns, 'work', '', NEW.moved_at);
   END;
CREATE TRIGGER mcpwire_task_changed AFTER UPDATE OF revision ON mcpwire_task WHEN NEW.revision <> OLD.revision BEGIN
     INSERT INTO mcpwire_message (ns, topic, text, sent_at) VALUES (NEW.ns, 'changed', NEW.id, NEW.updated_at);
   END;
CREATE TRIGGER mcpwire_task_cancelled AFTER UPDATE OF cancelled_at ON mcpwire_task
   WHEN NEW.cancelled_at IS NOT OLD.cancelled_at BEGIN
     INSERT INTO mcpwire_message (ns, topic, text, sent_at) VALUES (NEW.ns, 'changed', NEW.id, NEW.moved_at);
   END;
