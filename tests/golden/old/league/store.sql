BEGIN TRANSACTION;
CREATE TABLE attempt(
            match TEXT NOT NULL, number INTEGER NOT NULL, reason TEXT NOT NULL, suspects TEXT NOT NULL DEFAULT '[]', PRIMARY KEY(match, number)
        ) WITHOUT ROWID;
CREATE TABLE result(
            match TEXT PRIMARY KEY, plan INTEGER NOT NULL, block INTEGER NOT NULL, rotation INTEGER NOT NULL,
            seed TEXT NOT NULL, bots TEXT NOT NULL, ranks TEXT NOT NULL, scores TEXT NOT NULL,
            breakdown TEXT NOT NULL, faults TEXT NOT NULL, times TEXT NOT NULL, steps INTEGER NOT NULL,
            digest TEXT NOT NULL
        ) WITHOUT ROWID;
INSERT INTO "result" VALUES('61766d5ca5633f394bffee91',2,1,0,'252579349295970425204774360778311722222','["middle","last"]','[1,2]','[18,12]','[{"FS":0,"WT":0,"KJ":0,"PL":10,"MD":6,"SI":0,"RV":0,"rex":2},{"FS":0,"WT":0,"KJ":0,"PL":0,"MD":0,"SI":0,"RV":12,"rex":0}]','[{"kind":"malformed","seat":0,"decision":1,"text":"seat 0: ''nonsense'' is malformed, expected a species letter, D; with discard_timing=with_pick also the discard, DxC. Legal: T D C S P."}]','[{"decisions":29,"total_us":8757,"p99_us":5579,"most_us":5579,"cpu_us":1433},{"decisions":31,"total_us":2757,"p99_us":233,"most_us":233,"cpu_us":1601}]',52,'b6280ef115e2e932');
INSERT INTO "result" VALUES('89c4f94aac85ee3b32d59ca1',1,0,1,'220144844671015755003959003096102745888','["first","middle"]','[1,2]','[34,19]','[{"FS":12,"WT":7,"KJ":7,"PL":5,"MD":0,"SI":0,"RV":0,"rex":3},{"FS":0,"WT":0,"KJ":7,"PL":5,"MD":6,"SI":0,"RV":0,"rex":1}]','[{"kind":"malformed","seat":1,"decision":2,"text":"seat 1: ''nonsense'' is malformed, expected a species letter, D; with discard_timing=with_pick also the discard, DxC. Legal: T D C S P."}]','[{"decisions":30,"total_us":8682,"p99_us":4310,"most_us":4310,"cpu_us":1538},{"decisions":31,"total_us":6410,"p99_us":4249,"most_us":4249,"cpu_us":1743}]',52,'4fdd80d8cbbc630d');
INSERT INTO "result" VALUES('cb6e7b5f7b3c08ba1ffecff5',0,0,0,'159790793803228456348767228203530816791','["middle","first"]','[2,1]','[18,29]','[{"FS":0,"WT":0,"KJ":7,"PL":5,"MD":6,"SI":0,"RV":0,"rex":0},{"FS":8,"WT":7,"KJ":0,"PL":10,"MD":1,"SI":0,"RV":0,"rex":3}]','[{"kind":"malformed","seat":0,"decision":1,"text":"seat 0: ''nonsense'' is malformed, expected a species letter, D; with discard_timing=with_pick also the discard, DxC. Legal: D C S G."}]','[{"decisions":30,"total_us":14774,"p99_us":3928,"most_us":3928,"cpu_us":2118},{"decisions":31,"total_us":10343,"p99_us":3198,"most_us":3198,"cpu_us":1896}]',52,'da13180876f7ae6e');
CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "setting" VALUES('bots','{"first": ["1", "7c0c68b95283906b36d27499eade2d7a"], "last": ["1", "7c0c68b95283906b36d27499eade2d7a"], "middle": ["1", "7c0c68b95283906b36d27499eade2d7a"]}');
INSERT INTO "setting" VALUES('challengers','[]');
INSERT INTO "setting" VALUES('clock','{"bank_ms": 600000, "charge": "wall", "hello_ms": 600000, "increment_ms": 100, "prepare_ms": 600000}');
INSERT INTO "setting" VALUES('commands','{"first": ["{python}", "-I", "-S", "bot.py", "first"], "last": ["{python}", "-I", "-S", "bot.py", "last"], "middle": ["{python}", "-I", "-S", "bot.py", "middle"]}');
INSERT INTO "setting" VALUES('commitment','"9737a97d9659c49f18d176b20dfb7eccc2a7e97f14773876443f9d9270f0475f"');
INSERT INTO "setting" VALUES('deals','"fresh"');
INSERT INTO "setting" VALUES('edition','1');
INSERT INTO "setting" VALUES('ended','false');
INSERT INTO "setting" VALUES('game','"draftosaurus"');
INSERT INTO "setting" VALUES('memory_mb','256');
INSERT INTO "setting" VALUES('name','"old"');
INSERT INTO "setting" VALUES('options','{}');
INSERT INTO "setting" VALUES('order','["first", "middle", "last"]');
INSERT INTO "setting" VALUES('planned','6');
INSERT INTO "setting" VALUES('sandbox','"none"');
INSERT INTO "setting" VALUES('sandboxed','false');
INSERT INTO "setting" VALUES('schedule','["round_robin", 2]');
INSERT INTO "setting" VALUES('secret','"4305dc4b1a730453f3fd4f8e3c4ad662"');
INSERT INTO "setting" VALUES('seed','null');
INSERT INTO "setting" VALUES('strikes','3');
COMMIT;
PRAGMA user_version = 2;
