-- rocpd_schema.sql - tables and views of the database, version 3.0.3 of the schema.
--
-- This is the only description of the tables: the writer fills them by these names, and the build puts
-- this file into the program. {uuid} is the suffix that distinguishes the tables of a run from those of
-- other runs in a merged database, {guid} its text, which every row has. Views have no suffix.
-- All views stand behind all tables. A view begins with CREATE VIEW, one blank and its name in quotes, and
-- ends with the first semicolon at the end of a line: the writer puts this text into the database as it is.

CREATE TABLE "rocpd_metadata{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "tag" TEXT NOT NULL,
    "value" TEXT NOT NULL
);

CREATE TABLE "rocpd_string{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "string" TEXT NOT NULL UNIQUE
);

CREATE TABLE "rocpd_info_node{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "hash" BIGINT NOT NULL UNIQUE,
    "machine_id" TEXT NOT NULL UNIQUE,
    "system_name" TEXT,
    "hostname" TEXT,
    "release" TEXT,
    "version" TEXT,
    "hardware_name" TEXT,
    "domain_name" TEXT
);

CREATE TABLE "rocpd_info_process{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "ppid" INTEGER,
    "pid" INTEGER NOT NULL,
    "init" BIGINT,
    "fini" BIGINT,
    "start" BIGINT,
    "end" BIGINT,
    "command" TEXT,
    "environment" JSONB NOT NULL DEFAULT '{}',
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_info_thread{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "ppid" INTEGER,
    "pid" INTEGER NOT NULL,
    "tid" INTEGER NOT NULL,
    "name" TEXT,
    "start" BIGINT,
    "end" BIGINT,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_info_agent{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER NOT NULL,
    "type" TEXT CHECK ("type" IN ('CPU', 'GPU', 'NIC')),
    "absolute_index" INTEGER,
    "logical_index" INTEGER,
    "type_index" INTEGER,
    "uuid" INTEGER,
    "name" TEXT,
    "model_name" TEXT,
    "vendor_name" TEXT,
    "product_name" TEXT,
    "user_name" TEXT,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_info_queue{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER NOT NULL,
    "name" TEXT,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_info_stream{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER NOT NULL,
    "name" TEXT,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_info_pmc{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER NOT NULL,
    "agent_id" INTEGER,
    "target_arch" TEXT CHECK ("target_arch" IN ('CPU', 'GPU', 'NIC')),
    "event_code" INT,
    "instance_id" INTEGER,
    "name" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "description" TEXT,
    "long_description" TEXT DEFAULT '',
    "component" TEXT,
    "units" TEXT DEFAULT '',
    "value_type" TEXT CHECK ("value_type" IN ('ABS', 'ACCUM', 'RELATIVE')),
    "block" TEXT,
    "expression" TEXT,
    "is_constant" INTEGER,
    "is_derived" INTEGER,
    "spm_support" INTEGER,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("agent_id") REFERENCES "rocpd_info_agent{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_info_code_object{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER NOT NULL,
    "agent_id" INTEGER,
    "uri" TEXT,
    "load_base" BIGINT,
    "load_size" BIGINT,
    "load_delta" BIGINT,
    "storage_type" TEXT CHECK ("storage_type" IN ('FILE', 'MEMORY')),
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("agent_id") REFERENCES "rocpd_info_agent{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_info_kernel_symbol{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER NOT NULL,
    "code_object_id" INTEGER NOT NULL,
    "kernel_name" TEXT,
    "display_name" TEXT,
    "kernel_object" INTEGER,
    "kernarg_segment_size" INTEGER,
    "kernarg_segment_alignment" INTEGER,
    "group_segment_size" INTEGER,
    "private_segment_size" INTEGER,
    "sgpr_count" INTEGER,
    "arch_vgpr_count" INTEGER,
    "accum_vgpr_count" INTEGER,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("code_object_id") REFERENCES "rocpd_info_code_object{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_track{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER,
    "tid" INTEGER,
    "name_id" INTEGER,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("tid") REFERENCES "rocpd_info_thread{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("name_id") REFERENCES "rocpd_string{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_event{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "category_id" INTEGER,
    "stack_id" INTEGER,
    "parent_stack_id" INTEGER,
    "correlation_id" INTEGER,
    "call_stack" JSONB NOT NULL DEFAULT '{}',
    "line_info" JSONB NOT NULL DEFAULT '{}',
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("category_id") REFERENCES "rocpd_string{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_arg{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "event_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "value" TEXT,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("event_id") REFERENCES "rocpd_event{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_pmc_event{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "event_id" INTEGER,
    "sample_id" INTEGER,
    "pmc_id" INTEGER NOT NULL,
    "value" REAL DEFAULT 0.0,
    "xcc" INTEGER,
    "shader_engine" INTEGER,
    "instance" INTEGER,
    "extdata" JSONB DEFAULT '{}',
    FOREIGN KEY ("event_id") REFERENCES "rocpd_event{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("sample_id") REFERENCES "rocpd_sample{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pmc_id") REFERENCES "rocpd_info_pmc{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_region{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER NOT NULL,
    "tid" INTEGER NOT NULL,
    "start" BIGINT NOT NULL,
    "end" BIGINT NOT NULL,
    "name_id" INTEGER NOT NULL,
    "event_id" INTEGER,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("tid") REFERENCES "rocpd_info_thread{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("name_id") REFERENCES "rocpd_string{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("event_id") REFERENCES "rocpd_event{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_sample{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "track_id" INTEGER NOT NULL,
    "timestamp" BIGINT NOT NULL,
    "event_id" INTEGER,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("track_id") REFERENCES "rocpd_track{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("event_id") REFERENCES "rocpd_event{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_kernel_dispatch{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER NOT NULL,
    "tid" INTEGER,
    "agent_id" INTEGER NOT NULL,
    "kernel_id" INTEGER NOT NULL,
    "dispatch_id" INTEGER NOT NULL,
    "queue_id" INTEGER NOT NULL,
    "stream_id" INTEGER NOT NULL,
    "start" BIGINT NOT NULL,
    "end" BIGINT NOT NULL,
    "private_segment_size" INTEGER,
    "group_segment_size" INTEGER,
    "workgroup_size_x" INTEGER NOT NULL,
    "workgroup_size_y" INTEGER NOT NULL,
    "workgroup_size_z" INTEGER NOT NULL,
    "grid_size_x" INTEGER NOT NULL,
    "grid_size_y" INTEGER NOT NULL,
    "grid_size_z" INTEGER NOT NULL,
    "graph_exec_id" INTEGER NOT NULL DEFAULT 0,
    "graph_node_id" INTEGER NOT NULL DEFAULT 0,
    "region_name_id" INTEGER,
    "event_id" INTEGER,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("tid") REFERENCES "rocpd_info_thread{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("agent_id") REFERENCES "rocpd_info_agent{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("kernel_id") REFERENCES "rocpd_info_kernel_symbol{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("queue_id") REFERENCES "rocpd_info_queue{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("stream_id") REFERENCES "rocpd_info_stream{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("region_name_id") REFERENCES "rocpd_string{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("event_id") REFERENCES "rocpd_event{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_memory_copy{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER NOT NULL,
    "tid" INTEGER,
    "start" BIGINT NOT NULL,
    "end" BIGINT NOT NULL,
    "name_id" INTEGER NOT NULL,
    "dst_agent_id" INTEGER,
    "dst_address" INTEGER,
    "src_agent_id" INTEGER,
    "src_address" INTEGER,
    "size" INTEGER NOT NULL,
    "queue_id" INTEGER,
    "stream_id" INTEGER,
    "graph_exec_id" INTEGER NOT NULL DEFAULT 0,
    "graph_node_id" INTEGER NOT NULL DEFAULT 0,
    "region_name_id" INTEGER,
    "event_id" INTEGER,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("tid") REFERENCES "rocpd_info_thread{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("name_id") REFERENCES "rocpd_string{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("dst_agent_id") REFERENCES "rocpd_info_agent{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("src_agent_id") REFERENCES "rocpd_info_agent{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("queue_id") REFERENCES "rocpd_info_queue{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("stream_id") REFERENCES "rocpd_info_stream{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("region_name_id") REFERENCES "rocpd_string{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("event_id") REFERENCES "rocpd_event{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_memory_allocate{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER NOT NULL,
    "tid" INTEGER,
    "agent_id" INTEGER,
    "type" TEXT CHECK ("type" IN ('ALLOC', 'FREE', 'REALLOC', 'RECLAIM')),
    "level" TEXT CHECK ("level" IN ('REAL', 'VIRTUAL', 'SCRATCH')),
    "start" BIGINT NOT NULL,
    "end" BIGINT NOT NULL,
    "address" INTEGER,
    "size" INTEGER NOT NULL,
    "queue_id" INTEGER,
    "stream_id" INTEGER,
    "event_id" INTEGER,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("tid") REFERENCES "rocpd_info_thread{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("agent_id") REFERENCES "rocpd_info_agent{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("queue_id") REFERENCES "rocpd_info_queue{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("stream_id") REFERENCES "rocpd_info_stream{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("event_id") REFERENCES "rocpd_event{uuid}" ("id") ON UPDATE CASCADE
);

CREATE TABLE "rocpd_graph_launch{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER NOT NULL,
    "tid" INTEGER,
    "agent_id" INTEGER,
    "queue_id" INTEGER,
    "start" BIGINT NOT NULL,
    "end" BIGINT NOT NULL,
    "graph_exec_id" INTEGER NOT NULL,
    "kernel_dispatch_count" INTEGER NOT NULL DEFAULT 0,
    "event_id" INTEGER,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("tid") REFERENCES "rocpd_info_thread{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("agent_id") REFERENCES "rocpd_info_agent{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("queue_id") REFERENCES "rocpd_info_queue{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("event_id") REFERENCES "rocpd_event{uuid}" ("id") ON UPDATE CASCADE
);

-- of version 3.0.4
CREATE TABLE "rocpd_hip_event{uuid}" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    "guid" TEXT NOT NULL DEFAULT '{guid}',
    "nid" INTEGER NOT NULL,
    "pid" INTEGER NOT NULL,
    "tid" INTEGER,
    "agent_id" INTEGER,
    "queue_id" INTEGER,
    "stream_id" INTEGER,
    "start" BIGINT NOT NULL,
    "end" BIGINT NOT NULL,
    "name_id" INTEGER NOT NULL,
    "hip_event_handle" BIGINT NOT NULL,
    "source_queue_id" INTEGER,
    "event_id" INTEGER,
    "extdata" JSONB NOT NULL DEFAULT '{}',
    FOREIGN KEY ("nid") REFERENCES "rocpd_info_node{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("pid") REFERENCES "rocpd_info_process{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("tid") REFERENCES "rocpd_info_thread{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("agent_id") REFERENCES "rocpd_info_agent{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("queue_id") REFERENCES "rocpd_info_queue{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("stream_id") REFERENCES "rocpd_info_stream{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("name_id") REFERENCES "rocpd_string{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("source_queue_id") REFERENCES "rocpd_info_queue{uuid}" ("id") ON UPDATE CASCADE,
    FOREIGN KEY ("event_id") REFERENCES "rocpd_event{uuid}" ("id") ON UPDATE CASCADE
);

-- the tables without the suffix
CREATE VIEW "rocpd_metadata" AS SELECT * FROM "rocpd_metadata{uuid}";
CREATE VIEW "rocpd_string" AS SELECT * FROM "rocpd_string{uuid}";
CREATE VIEW "rocpd_info_node" AS SELECT * FROM "rocpd_info_node{uuid}";
CREATE VIEW "rocpd_info_process" AS SELECT * FROM "rocpd_info_process{uuid}";
CREATE VIEW "rocpd_info_thread" AS SELECT * FROM "rocpd_info_thread{uuid}";
CREATE VIEW "rocpd_info_agent" AS SELECT * FROM "rocpd_info_agent{uuid}";
CREATE VIEW "rocpd_info_queue" AS SELECT * FROM "rocpd_info_queue{uuid}";
CREATE VIEW "rocpd_info_stream" AS SELECT * FROM "rocpd_info_stream{uuid}";
CREATE VIEW "rocpd_info_pmc" AS SELECT * FROM "rocpd_info_pmc{uuid}";
CREATE VIEW "rocpd_info_code_object" AS SELECT * FROM "rocpd_info_code_object{uuid}";
CREATE VIEW "rocpd_info_kernel_symbol" AS SELECT * FROM "rocpd_info_kernel_symbol{uuid}";
CREATE VIEW "rocpd_track" AS SELECT * FROM "rocpd_track{uuid}";
CREATE VIEW "rocpd_event" AS SELECT * FROM "rocpd_event{uuid}";
CREATE VIEW "rocpd_arg" AS SELECT * FROM "rocpd_arg{uuid}";
CREATE VIEW "rocpd_pmc_event" AS SELECT * FROM "rocpd_pmc_event{uuid}";
CREATE VIEW "rocpd_region" AS SELECT * FROM "rocpd_region{uuid}";
CREATE VIEW "rocpd_sample" AS SELECT * FROM "rocpd_sample{uuid}";
CREATE VIEW "rocpd_kernel_dispatch" AS SELECT * FROM "rocpd_kernel_dispatch{uuid}";
CREATE VIEW "rocpd_memory_copy" AS SELECT * FROM "rocpd_memory_copy{uuid}";
CREATE VIEW "rocpd_memory_allocate" AS SELECT * FROM "rocpd_memory_allocate{uuid}";
CREATE VIEW "rocpd_graph_launch" AS SELECT * FROM "rocpd_graph_launch{uuid}";
CREATE VIEW "rocpd_hip_event" AS SELECT * FROM "rocpd_hip_event{uuid}";

-- the views that programs and people read

CREATE VIEW "code_objects" AS
SELECT
    CO.id AS "id",
    CO.guid AS "guid",
    CO.nid AS "nid",
    P.pid AS "pid",
    A.absolute_index AS "agent_abs_index",
    CO.uri AS "uri",
    CO.load_base AS "load_base",
    CO.load_size AS "load_size",
    CO.load_delta AS "load_delta",
    CO.storage_type AS "storage_type_str",
    JSON_EXTRACT(CO.extdata, '$.size') AS "code_object_size",
    JSON_EXTRACT(CO.extdata, '$.storage_type') AS "storage_type",
    JSON_EXTRACT(CO.extdata, '$.memory_base') AS "memory_base",
    JSON_EXTRACT(CO.extdata, '$.memory_size') AS "memory_size"
FROM rocpd_info_code_object CO
JOIN rocpd_info_agent A ON A.id = CO.agent_id AND A.guid = CO.guid
JOIN rocpd_info_process P ON P.id = CO.pid AND P.guid = CO.guid;

CREATE VIEW "kernel_symbols" AS
SELECT
    K.id AS "id",
    K.guid AS "guid",
    K.nid AS "nid",
    P.pid AS "pid",
    K.code_object_id AS "code_object_id",
    K.kernel_name AS "kernel_name",
    K.display_name AS "display_name",
    K.kernel_object AS "kernel_object",
    K.kernarg_segment_size AS "kernarg_segment_size",
    K.kernarg_segment_alignment AS "kernarg_segment_alignment",
    K.group_segment_size AS "group_segment_size",
    K.private_segment_size AS "private_segment_size",
    K.sgpr_count AS "sgpr_count",
    K.arch_vgpr_count AS "arch_vgpr_count",
    K.accum_vgpr_count AS "accum_vgpr_count",
    JSON_EXTRACT(K.extdata, '$.size') AS "kernel_symbol_size",
    JSON_EXTRACT(K.extdata, '$.kernel_id') AS "kernel_id",
    JSON_EXTRACT(K.extdata, '$.kernel_code_entry_byte_offset') AS "kernel_code_entry_byte_offset",
    JSON_EXTRACT(K.extdata, '$.formatted_kernel_name') AS "formatted_kernel_name",
    JSON_EXTRACT(K.extdata, '$.demangled_kernel_name') AS "demangled_kernel_name",
    JSON_EXTRACT(K.extdata, '$.truncated_kernel_name') AS "truncated_kernel_name",
    JSON_EXTRACT(K.extdata, '$.kernel_address.handle') AS "kernel_address"
FROM rocpd_info_kernel_symbol K
JOIN rocpd_info_process P ON P.id = K.pid AND P.guid = K.guid;

CREATE VIEW "processes" AS
SELECT
    N.id AS "nid",
    N.machine_id AS "machine_id",
    N.system_name AS "system_name",
    N.hostname AS "hostname",
    N.release AS "system_release",
    N.version AS "system_version",
    P.guid AS "guid",
    P.ppid AS "ppid",
    P.pid AS "pid",
    P.init AS "init",
    P.start AS "start",
    P."end" AS "end",
    P.fini AS "fini",
    P.command AS "command"
FROM rocpd_info_process P
JOIN rocpd_info_node N ON N.id = P.nid AND N.guid = P.guid;

CREATE VIEW "threads" AS
SELECT
    N.id AS "nid",
    N.machine_id AS "machine_id",
    N.system_name AS "system_name",
    N.hostname AS "hostname",
    N.release AS "system_release",
    N.version AS "system_version",
    P.guid AS "guid",
    P.ppid AS "ppid",
    P.pid AS "pid",
    T.tid AS "tid",
    T.start AS "start",
    T."end" AS "end",
    T.name AS "name"
FROM rocpd_info_thread T
JOIN rocpd_info_process P ON P.id = T.pid AND P.guid = T.guid
JOIN rocpd_info_node N ON N.id = T.nid AND N.guid = T.guid;

CREATE VIEW "regions" AS
SELECT
    R.id AS "id",
    R.guid AS "guid",
    (SELECT string FROM rocpd_string X WHERE X.id = E.category_id AND X.guid = E.guid) AS "category",
    S.string AS "name",
    R.nid AS "nid",
    P.pid AS "pid",
    T.tid AS "tid",
    R.start AS "start",
    R."end" AS "end",
    (R."end" - R.start) AS "duration",
    R.event_id AS "event_id",
    E.stack_id AS "stack_id",
    E.parent_stack_id AS "parent_stack_id",
    E.correlation_id AS "corr_id",
    E.extdata AS "extdata",
    E.call_stack AS "call_stack",
    E.line_info AS "line_info"
FROM rocpd_region R
JOIN rocpd_event E ON E.id = R.event_id AND E.guid = R.guid
JOIN rocpd_string S ON S.id = R.name_id AND S.guid = R.guid
JOIN rocpd_info_process P ON P.id = R.pid AND P.guid = R.guid
JOIN rocpd_info_thread T ON T.id = R.tid AND T.guid = R.guid;

CREATE VIEW "region_args" AS
SELECT
    R.id AS "id",
    R.guid AS "guid",
    R.nid AS "nid",
    P.pid AS "pid",
    AR.type AS "type",
    AR.name AS "name",
    AR.value AS "value"
FROM rocpd_region R
JOIN rocpd_event E ON E.id = R.event_id AND E.guid = R.guid
JOIN rocpd_arg AR ON AR.event_id = E.id AND AR.guid = R.guid
JOIN rocpd_info_process P ON P.id = R.pid AND P.guid = R.guid;

CREATE VIEW "samples" AS
SELECT
    SA.id AS "id",
    SA.guid AS "guid",
    (SELECT string FROM rocpd_string X WHERE X.id = E.category_id AND X.guid = E.guid) AS "category",
    (SELECT string FROM rocpd_string X WHERE X.id = TR.name_id AND X.guid = TR.guid) AS "name",
    TR.nid AS "nid",
    P.pid AS "pid",
    T.tid AS "tid",
    SA.timestamp AS "timestamp",
    SA.event_id AS "event_id",
    E.stack_id AS "stack_id",
    E.parent_stack_id AS "parent_stack_id",
    E.correlation_id AS "corr_id",
    E.extdata AS "extdata",
    E.call_stack AS "call_stack",
    E.line_info AS "line_info"
FROM rocpd_sample SA
JOIN rocpd_track TR ON TR.id = SA.track_id AND TR.guid = SA.guid
JOIN rocpd_event E ON E.id = SA.event_id AND E.guid = SA.guid
JOIN rocpd_info_process P ON P.id = TR.pid AND P.guid = SA.guid
JOIN rocpd_info_thread T ON T.id = TR.tid AND T.guid = SA.guid;

CREATE VIEW "sample_regions" AS
SELECT
    SA.id AS "id",
    SA.guid AS "guid",
    (SELECT string FROM rocpd_string X WHERE X.id = E.category_id AND X.guid = E.guid) AS "category",
    (SELECT string FROM rocpd_string X WHERE X.id = TR.name_id AND X.guid = TR.guid) AS "name",
    TR.nid AS "nid",
    P.pid AS "pid",
    T.tid AS "tid",
    SA.timestamp AS "start",
    SA.timestamp AS "END",
    0 AS "duration",
    SA.event_id AS "event_id",
    E.stack_id AS "stack_id",
    E.parent_stack_id AS "parent_stack_id",
    E.correlation_id AS "corr_id",
    E.extdata AS "extdata",
    E.call_stack AS "call_stack",
    E.line_info AS "line_info"
FROM rocpd_sample SA
JOIN rocpd_track TR ON TR.id = SA.track_id AND TR.guid = SA.guid
JOIN rocpd_event E ON E.id = SA.event_id AND E.guid = SA.guid
JOIN rocpd_info_process P ON P.id = TR.pid AND P.guid = SA.guid
JOIN rocpd_info_thread T ON T.id = TR.tid AND T.guid = SA.guid;

CREATE VIEW "regions_and_samples" AS
SELECT * FROM regions
UNION ALL
SELECT * FROM sample_regions;

CREATE VIEW "kernels" AS
SELECT
    D.id AS "id",
    D.guid AS "guid",
    T.tid AS "tid",
    (SELECT string FROM rocpd_string X WHERE X.id = E.category_id AND X.guid = E.guid) AS "category",
    S.string AS "region",
    K.display_name AS "name",
    D.nid AS "nid",
    P.pid AS "pid",
    A.absolute_index AS "agent_abs_index",
    A.logical_index AS "agent_log_index",
    A.type_index AS "agent_type_index",
    A.type AS "agent_type",
    K.code_object_id AS "code_object_id",
    D.kernel_id AS "kernel_id",
    D.dispatch_id AS "dispatch_id",
    D.stream_id AS "stream_id",
    D.queue_id AS "queue_id",
    D.graph_exec_id AS "graph_exec_id",
    D.graph_node_id AS "graph_node_id",
    Q.name AS "queue",
    ST.name AS "stream",
    D.start AS "start",
    D."end" AS "end",
    (D."end" - D.start) AS "duration",
    D.grid_size_x AS "grid_x",
    D.grid_size_y AS "grid_y",
    D.grid_size_z AS "grid_z",
    D.workgroup_size_x AS "workgroup_x",
    D.workgroup_size_y AS "workgroup_y",
    D.workgroup_size_z AS "workgroup_z",
    D.group_segment_size AS "lds_size",
    D.private_segment_size AS "scratch_size",
    K.arch_vgpr_count AS "vgpr_count",
    K.accum_vgpr_count AS "accum_vgpr_count",
    K.sgpr_count AS "sgpr_count",
    K.group_segment_size AS "static_lds_size",
    K.private_segment_size AS "static_scratch_size",
    D.event_id AS "event_id",
    E.stack_id AS "stack_id",
    E.parent_stack_id AS "parent_stack_id",
    E.correlation_id AS "corr_id"
FROM rocpd_kernel_dispatch D
JOIN rocpd_info_agent A ON A.id = D.agent_id AND A.guid = D.guid
JOIN rocpd_event E ON E.id = D.event_id AND E.guid = D.guid
JOIN rocpd_string S ON S.id = D.region_name_id AND S.guid = D.guid
JOIN rocpd_info_kernel_symbol K ON K.id = D.kernel_id AND K.guid = D.guid
LEFT JOIN rocpd_info_stream ST ON ST.id = D.stream_id AND ST.guid = D.guid
LEFT JOIN rocpd_info_queue Q ON Q.id = D.queue_id AND Q.guid = D.guid
JOIN rocpd_info_process P ON P.id = D.pid AND P.guid = D.guid
JOIN rocpd_info_thread T ON T.id = D.tid AND T.guid = D.guid;

CREATE VIEW "pmc_info" AS
SELECT
    PI.id AS "id",
    PI.guid AS "guid",
    PI.nid AS "nid",
    P.pid AS "pid",
    A.absolute_index AS "agent_abs_index",
    PI.is_constant AS "is_constant",
    PI.is_derived AS "is_derived",
    PI.name AS "name",
    PI.description AS "description",
    PI.block AS "block",
    PI.expression AS "expression"
FROM rocpd_info_pmc PI
JOIN rocpd_info_agent A ON A.id = PI.agent_id AND A.guid = PI.guid
JOIN rocpd_info_process P ON P.id = PI.pid AND P.guid = PI.guid;

CREATE VIEW "pmc_events" AS
SELECT
    PE.id AS "id",
    PE.guid AS "guid",
    PE.pmc_id AS "pmc_id",
    E.id AS "event_id",
    (SELECT string FROM rocpd_string X WHERE X.id = E.category_id AND X.guid = E.guid) AS "category",
    (SELECT K.display_name FROM rocpd_info_kernel_symbol K WHERE K.id = D.kernel_id AND K.guid = D.guid) AS "name",
    D.nid AS "nid",
    P.pid AS "pid",
    D.dispatch_id AS "dispatch_id",
    D.start AS "start",
    D."end" AS "end",
    (D."end" - D.start) AS "duration",
    PI.name AS "counter_name",
    PE.value AS "counter_value"
FROM rocpd_pmc_event PE
JOIN rocpd_info_pmc PI ON PI.id = PE.pmc_id AND PI.guid = PE.guid
JOIN rocpd_event E ON E.id = PE.event_id AND E.guid = PE.guid
JOIN rocpd_kernel_dispatch D ON D.event_id = E.id AND D.guid = PE.guid
JOIN rocpd_info_process P ON P.id = D.pid AND P.guid = PE.guid;

CREATE VIEW "events_args" AS
SELECT
    E.id AS "event_id",
    (SELECT string FROM rocpd_string X WHERE X.id = E.category_id AND X.guid = E.guid) AS "category",
    E.stack_id AS "stack_id",
    E.parent_stack_id AS "parent_stack_id",
    E.correlation_id AS "correlation_id",
    AR.position AS "arg_position",
    AR.type AS "arg_type",
    AR.name AS "arg_name",
    AR.value AS "arg_value",
    E.call_stack AS "call_stack",
    E.line_info AS "line_info",
    AR.extdata AS "extdata"
FROM rocpd_event E
JOIN rocpd_arg AR ON AR.event_id = E.id AND AR.guid = E.guid;

CREATE VIEW "stream_args" AS
SELECT
    AR.id AS "argument_id",
    AR.event_id AS "event_id",
    AR.position AS "arg_position",
    AR.type AS "arg_type",
    AR.value AS "arg_value",
    JSON_EXTRACT(AR.extdata, '$.stream_id') AS "stream_id",
    ST.nid AS "nid",
    P.pid AS "pid",
    ST.name AS "stream_name",
    ST.extdata AS "extdata"
FROM rocpd_arg AR
JOIN rocpd_info_stream ST ON ST.id = JSON_EXTRACT(AR.extdata, '$.stream_id') AND ST.guid = AR.guid
JOIN rocpd_info_process P ON P.id = ST.pid AND P.guid = AR.guid
WHERE AR.name = 'stream';

CREATE VIEW "memory_copies" AS
SELECT
    M.id AS "id",
    M.guid AS "guid",
    (SELECT string FROM rocpd_string X WHERE X.id = E.category_id AND X.guid = E.guid) AS "category",
    M.nid AS "nid",
    P.pid AS "pid",
    T.tid AS "tid",
    M.start AS "start",
    M."end" AS "end",
    (M."end" - M.start) AS "duration",
    S.string AS "name",
    RS.string AS "region_name",
    M.stream_id AS "stream_id",
    M.queue_id AS "queue_id",
    M.graph_exec_id AS "graph_exec_id",
    M.graph_node_id AS "graph_node_id",
    ST.name AS "stream_name",
    Q.name AS "queue_name",
    M.size AS "size",
    DA.name AS "dst_device",
    DA.absolute_index AS "dst_agent_abs_index",
    DA.logical_index AS "dst_agent_log_index",
    DA.type_index AS "dst_agent_type_index",
    DA.type AS "dst_agent_type",
    M.dst_address AS "dst_address",
    SRC.name AS "src_device",
    SRC.absolute_index AS "src_agent_abs_index",
    SRC.logical_index AS "src_agent_log_index",
    SRC.type_index AS "src_agent_type_index",
    SRC.type AS "src_agent_type",
    M.src_address AS "src_address",
    E.stack_id AS "stack_id",
    E.parent_stack_id AS "parent_stack_id",
    E.correlation_id AS "corr_id"
FROM rocpd_memory_copy M
JOIN rocpd_string S ON S.id = M.name_id AND S.guid = M.guid
LEFT JOIN rocpd_string RS ON RS.id = M.region_name_id AND RS.guid = M.guid
JOIN rocpd_info_agent DA ON DA.id = M.dst_agent_id AND DA.guid = M.guid
JOIN rocpd_info_agent SRC ON SRC.id = M.src_agent_id AND SRC.guid = M.guid
LEFT JOIN rocpd_info_queue Q ON Q.id = M.queue_id AND Q.guid = M.guid
LEFT JOIN rocpd_info_stream ST ON ST.id = M.stream_id AND ST.guid = M.guid
JOIN rocpd_event E ON E.id = M.event_id AND E.guid = M.guid
JOIN rocpd_info_process P ON P.id = M.pid AND P.guid = M.guid
JOIN rocpd_info_thread T ON T.id = M.tid AND T.guid = M.guid;

CREATE VIEW "memory_allocations" AS
SELECT
    MA.id AS "id",
    MA.guid AS "guid",
    (SELECT string FROM rocpd_string X WHERE X.id = E.category_id AND X.guid = E.guid) AS "category",
    MA.nid AS "nid",
    P.pid AS "pid",
    T.tid AS "tid",
    MA.start AS "start",
    MA."end" AS "end",
    (MA."end" - MA.start) AS "duration",
    MA.type AS "type",
    MA.level AS "level",
    A.name AS "agent_name",
    A.absolute_index AS "agent_abs_index",
    A.logical_index AS "agent_log_index",
    A.type_index AS "agent_type_index",
    A.type AS "agent_type",
    MA.address AS "address",
    MA.size AS "size",
    MA.queue_id AS "queue_id",
    Q.name AS "queue_name",
    MA.stream_id AS "stream_id",
    ST.name AS "stream_name",
    E.stack_id AS "stack_id",
    E.parent_stack_id AS "parent_stack_id",
    E.correlation_id AS "corr_id"
FROM rocpd_memory_allocate MA
LEFT JOIN rocpd_info_agent A ON A.id = MA.agent_id AND A.guid = MA.guid
LEFT JOIN rocpd_info_queue Q ON Q.id = MA.queue_id AND Q.guid = MA.guid
LEFT JOIN rocpd_info_stream ST ON ST.id = MA.stream_id AND ST.guid = MA.guid
JOIN rocpd_event E ON E.id = MA.event_id AND E.guid = MA.guid
JOIN rocpd_info_process P ON P.id = MA.pid AND P.guid = MA.guid
JOIN rocpd_info_thread T ON T.id = MA.tid AND T.guid = MA.guid;

CREATE VIEW "scratch_memory" AS
SELECT
    MA.id AS "id",
    MA.guid AS "guid",
    MA.nid AS "nid",
    P.pid AS "pid",
    MA.type AS "operation",
    A.name AS "agent_name",
    A.absolute_index AS "agent_abs_index",
    A.logical_index AS "agent_log_index",
    A.type_index AS "agent_type_index",
    A.type AS "agent_type",
    MA.queue_id AS "queue_id",
    T.tid AS "tid",
    JSON_EXTRACT(MA.extdata, '$.flags') AS "alloc_flags",
    MA.start AS "start",
    MA."end" AS "end",
    (MA."end" - MA.start) AS "duration",
    MA.size AS "size",
    MA.address AS "address",
    E.correlation_id AS "correlation_id",
    E.stack_id AS "stack_id",
    E.parent_stack_id AS "parent_stack_id",
    E.correlation_id AS "corr_id",
    (SELECT string FROM rocpd_string X WHERE X.id = E.category_id AND X.guid = E.guid) AS "category",
    E.extdata AS "event_extdata"
FROM rocpd_memory_allocate MA
LEFT JOIN rocpd_info_agent A ON A.id = MA.agent_id AND A.guid = MA.guid
LEFT JOIN rocpd_info_queue Q ON Q.id = MA.queue_id AND Q.guid = MA.guid
JOIN rocpd_event E ON E.id = MA.event_id AND E.guid = MA.guid
JOIN rocpd_info_process P ON P.id = MA.pid AND P.guid = MA.guid
JOIN rocpd_info_thread T ON T.id = MA.tid AND T.guid = MA.guid
WHERE MA.level = 'SCRATCH'
ORDER BY MA.start ASC;

CREATE VIEW "graph_launches" AS
SELECT
    G.id AS "id",
    G.guid AS "guid",
    G.nid AS "nid",
    P.pid AS "pid",
    T.tid AS "tid",
    G.agent_id AS "agent_id",
    A.absolute_index AS "agent_abs_index",
    A.logical_index AS "agent_log_index",
    A.type_index AS "agent_type_index",
    A.type AS "agent_type",
    G.queue_id AS "queue_id",
    Q.name AS "queue",
    'Graph Execution' AS "name",
    G.start AS "start",
    G."end" AS "end",
    (G."end" - G.start) AS "duration",
    G.graph_exec_id AS "graph_exec_id",
    G.kernel_dispatch_count AS "kernel_dispatch_count",
    G.event_id AS "event_id",
    E.stack_id AS "stack_id",
    E.parent_stack_id AS "parent_stack_id",
    E.correlation_id AS "corr_id"
FROM rocpd_graph_launch G
LEFT JOIN rocpd_info_agent A ON A.id = G.agent_id AND A.guid = G.guid
LEFT JOIN rocpd_info_queue Q ON Q.id = G.queue_id AND Q.guid = G.guid
JOIN rocpd_event E ON E.id = G.event_id AND E.guid = G.guid
JOIN rocpd_info_process P ON P.id = G.pid AND P.guid = G.guid
JOIN rocpd_info_thread T ON T.id = G.tid AND T.guid = G.guid;

CREATE VIEW "hip_events" AS
SELECT
    H.id AS "id",
    H.guid AS "guid",
    H.nid AS "nid",
    P.pid AS "pid",
    T.tid AS "tid",
    (SELECT string FROM rocpd_string X WHERE X.id = H.name_id AND X.guid = H.guid) AS "name",
    H.agent_id AS "agent_id",
    A.absolute_index AS "agent_abs_index",
    A.logical_index AS "agent_log_index",
    A.type_index AS "agent_type_index",
    A.type AS "agent_type",
    H.queue_id AS "queue_id",
    Q.name AS "queue",
    H.stream_id AS "stream_id",
    S.name AS "stream",
    H.hip_event_handle AS "hip_event_handle",
    H.source_queue_id AS "source_queue_id",
    H.start AS "start",
    H."end" AS "end",
    (H."end" - H.start) AS "duration",
    H.event_id AS "event_id",
    E.stack_id AS "stack_id",
    E.parent_stack_id AS "parent_stack_id",
    E.correlation_id AS "corr_id"
FROM rocpd_hip_event H
LEFT JOIN rocpd_info_agent A ON A.id = H.agent_id AND A.guid = H.guid
LEFT JOIN rocpd_info_queue Q ON Q.id = H.queue_id AND Q.guid = H.guid
LEFT JOIN rocpd_info_stream S ON S.id = H.stream_id AND S.guid = H.guid
JOIN rocpd_event E ON E.id = H.event_id AND E.guid = H.guid
JOIN rocpd_info_process P ON P.id = H.pid AND P.guid = H.guid
JOIN rocpd_info_thread T ON T.id = H.tid AND T.guid = H.guid;

CREATE VIEW "counters_collection" AS
SELECT
    MIN(PE.id) AS "id",
    PE.guid AS "guid",
    D.dispatch_id AS "dispatch_id",
    D.kernel_id AS "kernel_id",
    E.id AS "event_id",
    E.correlation_id AS "correlation_id",
    E.stack_id AS "stack_id",
    E.parent_stack_id AS "parent_stack_id",
    P.pid AS "pid",
    T.tid AS "tid",
    D.agent_id AS "agent_id",
    A.absolute_index AS "agent_abs_index",
    A.logical_index AS "agent_log_index",
    A.type_index AS "agent_type_index",
    A.type AS "agent_type",
    D.queue_id AS "queue_id",
    D.grid_size_x AS "grid_size_x",
    D.grid_size_y AS "grid_size_y",
    D.grid_size_z AS "grid_size_z",
    (D.grid_size_x * D.grid_size_y * D.grid_size_z) AS "grid_size",
    K.display_name AS "kernel_name",
    (SELECT string FROM rocpd_string X WHERE X.id = D.region_name_id AND X.guid = D.guid) AS "kernel_region",
    D.workgroup_size_x AS "workgroup_size_x",
    D.workgroup_size_y AS "workgroup_size_y",
    D.workgroup_size_z AS "workgroup_size_z",
    (D.workgroup_size_x * D.workgroup_size_y * D.workgroup_size_z) AS "workgroup_size",
    D.group_segment_size AS "lds_block_size",
    D.private_segment_size AS "scratch_size",
    K.arch_vgpr_count AS "vgpr_count",
    K.accum_vgpr_count AS "accum_vgpr_count",
    K.sgpr_count AS "sgpr_count",
    PI.name AS "counter_name",
    PI.symbol AS "counter_symbol",
    PI.component AS "component",
    PI.description AS "description",
    PI.block AS "block",
    PI.expression AS "expression",
    PI.value_type AS "value_type",
    PI.id AS "counter_id",
    SUM(PE.value) AS "value",
    D.start AS "start",
    D."end" AS "end",
    PI.is_constant AS "is_constant",
    PI.is_derived AS "is_derived",
    (D."end" - D.start) AS "duration",
    (SELECT string FROM rocpd_string X WHERE X.id = E.category_id AND X.guid = E.guid) AS "category",
    D.nid AS "nid",
    E.extdata AS "extdata",
    K.code_object_id AS "code_object_id"
FROM rocpd_pmc_event PE
JOIN rocpd_info_pmc PI ON PI.id = PE.pmc_id AND PI.guid = PE.guid
JOIN rocpd_event E ON E.id = PE.event_id AND E.guid = PE.guid
JOIN rocpd_kernel_dispatch D ON D.event_id = E.id AND D.guid = PE.guid
JOIN rocpd_info_agent A ON A.id = D.agent_id AND A.guid = PE.guid
JOIN rocpd_info_kernel_symbol K ON K.id = D.kernel_id AND K.guid = PE.guid
JOIN rocpd_info_process P ON P.id = D.pid AND P.guid = PE.guid
JOIN rocpd_info_thread T ON T.id = D.tid AND T.guid = PE.guid
WHERE PE.sample_id IS NULL
GROUP BY PE.guid, D.dispatch_id, PI.name, D.agent_id;

CREATE VIEW "spm_counters" AS
SELECT
    PE.id AS "id",
    PE.guid AS "guid",
    D.dispatch_id AS "dispatch_id",
    D.kernel_id AS "kernel_id",
    E.id AS "event_id",
    E.correlation_id AS "correlation_id",
    E.stack_id AS "stack_id",
    E.parent_stack_id AS "parent_stack_id",
    P.pid AS "pid",
    T.tid AS "tid",
    D.agent_id AS "agent_id",
    A.absolute_index AS "agent_abs_index",
    A.logical_index AS "agent_log_index",
    A.type_index AS "agent_type_index",
    A.type AS "agent_type",
    D.queue_id AS "queue_id",
    D.grid_size_x AS "grid_size_x",
    D.grid_size_y AS "grid_size_y",
    D.grid_size_z AS "grid_size_z",
    (D.grid_size_x * D.grid_size_y * D.grid_size_z) AS "grid_size",
    K.display_name AS "kernel_name",
    (SELECT string FROM rocpd_string X WHERE X.id = D.region_name_id AND X.guid = D.guid) AS "kernel_region",
    D.workgroup_size_x AS "workgroup_size_x",
    D.workgroup_size_y AS "workgroup_size_y",
    D.workgroup_size_z AS "workgroup_size_z",
    (D.workgroup_size_x * D.workgroup_size_y * D.workgroup_size_z) AS "workgroup_size",
    D.group_segment_size AS "lds_block_size",
    D.private_segment_size AS "scratch_size",
    K.arch_vgpr_count AS "vgpr_count",
    K.accum_vgpr_count AS "accum_vgpr_count",
    K.sgpr_count AS "sgpr_count",
    PI.name AS "counter_name",
    PI.symbol AS "counter_symbol",
    PI.component AS "component",
    PI.description AS "description",
    PI.block AS "block",
    PI.expression AS "expression",
    PI.value_type AS "value_type",
    PI.id AS "counter_id",
    PE.xcc AS "xcc",
    PE.shader_engine AS "shader_engine",
    PE.instance AS "instance",
    PE.value AS "value",
    SA.timestamp AS "timestamp",
    PI.is_constant AS "is_constant",
    PI.is_derived AS "is_derived",
    (SELECT string FROM rocpd_string X WHERE X.id = E.category_id AND X.guid = E.guid) AS "category",
    D.nid AS "nid",
    E.extdata AS "extdata",
    K.code_object_id AS "code_object_id"
FROM rocpd_pmc_event PE
JOIN rocpd_info_pmc PI ON PI.id = PE.pmc_id AND PI.guid = PE.guid
JOIN rocpd_sample SA ON SA.id = PE.sample_id AND SA.guid = PE.guid
JOIN rocpd_event E ON E.id = PE.event_id AND E.guid = PE.guid
JOIN rocpd_kernel_dispatch D ON D.event_id = E.id AND D.guid = PE.guid
JOIN rocpd_info_agent A ON A.id = D.agent_id AND A.guid = PE.guid
JOIN rocpd_info_kernel_symbol K ON K.id = D.kernel_id AND K.guid = PE.guid
JOIN rocpd_info_process P ON P.id = D.pid AND P.guid = PE.guid
JOIN rocpd_info_thread T ON T.id = D.tid AND T.guid = PE.guid;

CREATE VIEW "top_kernels" AS
SELECT
    K.display_name AS "name",
    COUNT(D.kernel_id) AS "total_calls",
    SUM(D."end" - D.start) / 1000.0 AS "total_duration",
    SUM(D."end" - D.start) / COUNT(D.kernel_id) / 1000.0 AS "average",
    SUM(D."end" - D.start) * 100.0 /
        (SELECT SUM(X."end" - X.start) FROM rocpd_kernel_dispatch X) AS "percentage"
FROM rocpd_kernel_dispatch D
JOIN rocpd_info_kernel_symbol K ON K.id = D.kernel_id AND K.guid = D.guid
GROUP BY name
ORDER BY total_duration DESC;

-- the time of kernels on an agent and of copies to it, as a share of the time from the first to the last
CREATE VIEW "busy" AS
SELECT
    B.agent_id AS "agent_id",
    A.type AS "type",
    B.gpu_time AS "GpuTime",
    W.wall_time AS "WallTime",
    B.gpu_time * 1.0 / W.wall_time AS "Busy"
FROM (SELECT agent_id, guid, SUM("end" - start) AS gpu_time
      FROM (SELECT agent_id, guid, "end", start FROM rocpd_kernel_dispatch
            UNION ALL
            SELECT dst_agent_id AS agent_id, guid, "end", start FROM rocpd_memory_copy)
      GROUP BY agent_id, guid) B
CROSS JOIN (SELECT MAX("end") - MIN(start) AS wall_time
            FROM (SELECT "end", start FROM rocpd_kernel_dispatch
                  UNION ALL
                  SELECT "end", start FROM rocpd_memory_copy)) W
JOIN rocpd_info_agent A ON A.id = B.agent_id AND A.guid = B.guid;

CREATE VIEW "top" AS
WITH spans AS (
    SELECT K.display_name AS name, D."end" - D.start AS duration
    FROM rocpd_kernel_dispatch D
    JOIN rocpd_info_kernel_symbol K ON K.id = D.kernel_id AND K.guid = D.guid
    UNION ALL
    SELECT S.string, M."end" - M.start
    FROM rocpd_memory_copy M
    JOIN rocpd_string S ON S.id = M.name_id AND S.guid = M.guid
    UNION ALL
    SELECT S.string, R."end" - R.start
    FROM rocpd_region R
    JOIN rocpd_string S ON S.id = R.name_id AND S.guid = R.guid)
SELECT
    name AS "name",
    COUNT(*) AS "total_calls",
    SUM(duration) / 1000.0 AS "total_duration",
    SUM(duration) / COUNT(*) / 1000.0 AS "average",
    SUM(duration) * 100.0 / (SELECT SUM(duration) FROM spans) AS "percentage"
FROM spans
GROUP BY name
ORDER BY total_duration DESC;
