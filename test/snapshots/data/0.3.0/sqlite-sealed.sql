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
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (1, 'snapshot', '~server', 'kr-UFsmodgVz', '', 1797458296827.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (2, 'snapshot', 'plain', 's1.dwGsBDIVUK6K2BgTN7UGJCqiMM6xCaSzOfQC70N7FQ-bs22xG42SZoRF2FirrPzuiuANcWp6', '6LfZuOtPdcXa.1', 1794952696828.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (3, 'snapshot', 'c.seals', '{"v":1,"nodes":[["BmRITvN-63cR",[["pwb41HymCm0W"]]]]}', '6LfZuOtPdcXa.4', 1794866311919.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (4, 'snapshot', 'c.seals.BmRITvN-63cR', '1', '6LfZuOtPdcXa.3', 1794866311919.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (5, 'snapshot', 'n.BmRITvN-63cR', 's1.dwGsBKoRCW4kjKRg24jkmDYoDhZPqqFyk1y1QvHjWiLscENK5-eNGOeKduKNmt0XaiApdzf6vrJXPT_4DhH3bYt4cBqIcL9ozS6hQA', '6LfZuOtPdcXa.5', 1794866311920.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (6, 'snapshot', 'k.BmRITvN-63cR', 's1.dwGsBNe9z6XnpkVABZJrcEylF8nMT2QpWKmOcYq59JEznb3hL5ceuxsBt2KJDdWdQAAqzkXrfhfNK02QdjR3gs8Z5j4yJ2TrNdlnRA', '6LfZuOtPdcXa.6', 1794866896921.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (7, 'snapshot', 's.6gBVBjK94eGnnCRJRwtWkkeyisRne1vLGU9J6XLP1lM', 's1.dwGsBAxQyw4zwPIYhLi2ewFVoX2z7j1_Me9xQ1XmUI6qXtgiYq1GtlcIlWZIkYAdFrecPPZHxpbBdqYMMysM6uLlbm9pWkSt7B_dDfRdd60wokQ-Tc8fQm6wWGfduWDunViEHIjn_8r39jhf7nkMEgaAuA4lAx3tSo90ar8_t5oAvBr306I4S2f5oaW8EBI_zJAKT4TRd8HZv9NrAUAz9dsvET9WpVAcY-WLSlzdsr1MY08140vkhCTsLKvhxMX5B3G0FXAPpI57E0fRw7y5fI8ONmaJlMnm3NdmbxJEzbNMVL_1f4_GgrujkqaulY02PIaN0-L-TSdh9JyHIGGgsbBKsfSSKGz5Ovz-Gb_l5LQAcp5u_4jgapmR7sOX4nhMAHgBRZgPPlM3XmLokXFPzA2PR0JCk9qoPYVn97FrRZqzYefzAVTEzuaYvJvNkggoeE3NTdOrg4ugXmX_HSh2UlI_bRUS4NRatzL46EYOlbNYZFvKy4F6VzwhEaFxJapTmrnChAY5SaGted5Lo-uSEoNiROndBd93vixqiOTVwQy9wzJMNN-PTOq4k19KfAnnPKx0KVKk6duYOnEMTUJ_SZsFBSD4iZZPxkNMHkb8ra7EUeUZgCDcAzg6VXfiH3ueROU', '6LfZuOtPdcXa.12', 1794868097087.0);
INSERT INTO mcpwire_record (n, ns, key, value, revision, expires_at) VALUES (8, 'snapshot', 'd.6gBVBjK94eGnnCRJRwtWkkeyisRne1vLGU9J6XLP1lM', 's1.dwGsBG44pTuQEMYzew71D9tqELG2JAD-yyeLiWkU7u4iuNvm3xOGY1LWoTd1sviGL-4oqS4onnw', '6LfZuOtPdcXa.10', 1794869897001.0);
INSERT INTO mcpwire_log (n, ns, name, first_seq, last_seq, bytes, is_ended, expires_at) VALUES (1, 'snapshot', 'open', 1, 2, 112, 0, 1794952696829.0);
INSERT INTO mcpwire_log (n, ns, name, first_seq, last_seq, bytes, is_ended, expires_at) VALUES (2, 'snapshot', 'ended', 1, 1, 63, 1, 1794952696829.0);
INSERT INTO mcpwire_log (n, ns, name, first_seq, last_seq, bytes, is_ended, expires_at) VALUES (3, 'snapshot', 'posted', 3, 5, 177, 0, 1794952696849.0);
INSERT INTO mcpwire_log (n, ns, name, first_seq, last_seq, bytes, is_ended, expires_at) VALUES (4, 'snapshot', 'l:1Iwm9zUhOMdfglkKAlFA5uUyfB0XIDUMdtvH3u-zgco', 1, 2, 264, 0, 1794868097090.0);
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (1, 1, 'w', 0, 56, 'as1.Oxcyllf90quPrWSULuLn9_QhAR34W2Wzj0wCgJ5tPYk_a6OWkSjD');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (1, 2, 'w', 0, 56, 'as1.OxcylmQ3WnKMPp4qBrLpu5QC5mUYPHtmcYD_PPUOoIkEKK2uj1Fa');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (2, 1, 'w', 0, 63, 'as1.OxcylkliMSYvLzovdxQzirqoDFVEBLYLo73YYki6AD-HlD58viWLa2lVVSI');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (3, 1, 'w', 1, 0, '');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (3, 2, 'w', 2, 0, '');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (3, 3, 'w', 3, 59, 'ps1.OxcylvYPhP7jYgJadqKoLCvX10Z199DhNhr0bUCT3txN7I1x6WtuaPw');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (3, 4, 'w', 4, 59, 'ps1.OxcylswUUHJkDfYY--LJ8LylP9r5UF9ONVLP8Cb6l6LlbQQgj3mGotI');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (3, 5, 'w', 5, 59, 'ps1.OxcylrKZcM_4pk0TN6TtrpXS6_MCFL5Zhw1KQ5ulnYZIkjmjmDAwjhA');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (4, 1, 'BmRITvN-63cR.vsGq4ZAh', 1, 132, 'ps1.Oxcylrk2gbhGelKNsfqeMyZU6gG_0olZhF60sgeOp0ResxO0eboG-zKpErtDh8z8tqyPyVLOCsSvMzb8tkNzD47clWA66HxkZP_5epTraQYXfSEyAaaqeWi3gRMdbBe6');
INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (4, 2, 'BmRITvN-63cR.vsGq4ZAh', 2, 132, 'ps1.Oxcylrk2gbhGelKNsfqeMyZU6gG_0olZhF60sgeOp0ResxO0eboG-zKpErtDh8z8tqyPyVLOCsSvMzb8tkNzD47clWA66HxkZP_5epTraQYXfSEyAaaqeWi3gRMdbBe6');
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (1, 'snapshot', 'work', '', 1794866296864.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (2, 'snapshot', 'changed', 'completed', 1794866296871.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (3, 'snapshot', 'work', '', 1794866296872.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (4, 'snapshot', 'changed', 'cancelled', 1794866296879.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (5, 'snapshot', 'work', '', 1794866296880.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (6, 'snapshot', 'changed', 'parked', 1794866296881.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (7, 'snapshot', 'work', '', 1794866296896.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (8, 'snapshot', 'changed', 'leased', 1794866296898.0);
INSERT INTO mcpwire_message (n, ns, topic, text, sent_at) VALUES (9, 'snapshot', 'work', '', 1794866296909.0);
INSERT INTO mcpwire_bucket (ns, key, full_at) VALUES ('snapshot', 'bucket', 1794869296852.0);
INSERT INTO mcpwire_place (ns, key, holder, expires_at) VALUES ('snapshot', 'places', 'holder', 1794952696852.0);
INSERT INTO mcpwire_task (n, ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at, ttl_ms, poll_interval_ms, place, status, status_message, attempt, tries, revision, lease_ends_at, cancelled_at, moved_at, was_answered, has_parts, queue_at, due_at, input, outcome) VALUES (1, 'snapshot', 'completed', 'ada', 'report', 'extension', 86400000.0, 86400000.0, 3, 1794866296864.0, 1794866296864.0, 1794866296871.0, 86400007.0, 500.0, 4, 'completed', NULL, 1, 1, 2, 1794866896865.0, NULL, 1794866296865.0, 0, 0, NULL, 1794952696871.0, '', 's1.mRLYZf1p6tinOG_y6b6M3170OMqvPHo5lRJJcnfzKqMENCMj5oaOK1meSA');
INSERT INTO mcpwire_task (n, ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at, ttl_ms, poll_interval_ms, place, status, status_message, attempt, tries, revision, lease_ends_at, cancelled_at, moved_at, was_answered, has_parts, queue_at, due_at, input, outcome) VALUES (2, 'snapshot', 'cancelled', 'ada', 'report', 'extension', 86400000.0, 86400000.0, 3, 1794866296872.0, 1794866296872.0, 1794866296879.0, 86400007.0, 500.0, 4, 'cancelled', NULL, 1, 0, 2, NULL, NULL, 1794866296872.0, 0, 0, NULL, 1794952696879.0, '', NULL);
INSERT INTO mcpwire_task (n, ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at, ttl_ms, poll_interval_ms, place, status, status_message, attempt, tries, revision, lease_ends_at, cancelled_at, moved_at, was_answered, has_parts, queue_at, due_at, input, outcome) VALUES (3, 'snapshot', 'parked', 'ada', 'report', 'extension', 86400000.0, 86400000.0, 3, 1794866296880.0, 1794866296880.0, 1794866296881.0, 86400000.0, 500.0, 3, 'input_required', NULL, 1, 0, 2, NULL, NULL, 1794866296882.0, 0, 1, NULL, 1794952696880.0, 's1.mRLYZfi_G-P5qZxIfydFuN1rFAnQPOXI90kKggC34QIeXJSFbjUFpA', NULL);
INSERT INTO mcpwire_task (n, ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at, ttl_ms, poll_interval_ms, place, status, status_message, attempt, tries, revision, lease_ends_at, cancelled_at, moved_at, was_answered, has_parts, queue_at, due_at, input, outcome) VALUES (4, 'snapshot', 'leased', 'ada', 'report', 'extension', 86400000.0, 86400000.0, 3, 1794866296896.0, 1794866296896.0, 1794866296898.0, 172800002.0, 500.0, 1, 'working', 's1.mRLYZeEsmmz4r1-H9el15xS4ui7L4nE2ms8MPu4BKffoY3JmGy1IGQ', 1, 1, 2, 1794866896898.0, NULL, 1794866296898.0, 0, 0, NULL, 1794866896898.0, 's1.mRLYZfwjd8etBzy4BgPeyKTM3NHXM84Kh78QAC_qAc6EIfPXfCuu_w', NULL);
INSERT INTO mcpwire_task (n, ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at, ttl_ms, poll_interval_ms, place, status, status_message, attempt, tries, revision, lease_ends_at, cancelled_at, moved_at, was_answered, has_parts, queue_at, due_at, input, outcome) VALUES (5, 'snapshot', 'ready', 'ada', 'report', 'extension', 86400000.0, 86400000.0, 3, 1794866296909.0, 1794866296909.0, 1794866296909.0, 86400000.0, 500.0, 0, 'working', NULL, 0, 0, 1, NULL, NULL, 1794866296909.0, 0, 0, 1794866296909.0, 1794952696909.0, 's1.mRLYZXbcSZKxqvZYQtXPD9S0N_lmN6zMbxmuW15GCYbbapMvn6n9gw', NULL);
INSERT INTO mcpwire_task_part (task, type, name, value) VALUES (3, 1, 'read', 's1.mRLYZUPcamr8iNIneExA4-L2zVdYajohHkc3cO41mK8q98Qz3uc');
INSERT INTO mcpwire_task_part (task, type, name, value) VALUES (3, 3, 'question', 's1.mRLYZXIt8grNmLEgOJFKNZFhKQ312peq2V9nuRSPJU20JQ');
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
