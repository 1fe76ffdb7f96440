-- The catalog as Fletcher 0.1 made it (schema version 1), with one document.
CREATE TABLE fletcher_catalog (
    name VARCHAR(64) NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE pendings (
    id VARCHAR(32) NOT NULL,
    workspace VARCHAR(64) NOT NULL,
    project_id VARCHAR(64) NOT NULL,
    kind VARCHAR(32) NOT NULL,
    payload JSON NOT NULL,
    content_sha256 VARCHAR(64) NOT NULL,
    created_at DATETIME NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX ix_pendings_created_at ON pendings (created_at);
CREATE TABLE projects (
    id INTEGER NOT NULL,
    workspace VARCHAR(64) NOT NULL,
    project_id VARCHAR(64) NOT NULL,
    corpus_version INTEGER NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (workspace, project_id)
);
CREATE TABLE vectors (
    text_sha256 VARCHAR(64) NOT NULL,
    model VARCHAR(255) NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (text_sha256, model)
);
CREATE TABLE documents (
    id VARCHAR(16) NOT NULL,
    project INTEGER NOT NULL,
    name TEXT NOT NULL,
    format VARCHAR(32) NOT NULL,
    sha256 VARCHAR(64) NOT NULL,
    size BIGINT NOT NULL,
    pages_without_text JSON NOT NULL,
    updated_at DATETIME NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(project) REFERENCES projects (id) ON DELETE CASCADE
);
CREATE INDEX ix_documents_project ON documents (project);
CREATE INDEX ix_documents_sha256 ON documents (sha256);
CREATE TABLE replaced_passages (
    passage VARCHAR(32) NOT NULL,
    project INTEGER NOT NULL,
    PRIMARY KEY (passage),
    FOREIGN KEY(project) REFERENCES projects (id) ON DELETE CASCADE
);
CREATE INDEX ix_replaced_passages_project ON replaced_passages (project);
CREATE TABLE pages (
    document VARCHAR(16) NOT NULL,
    position INTEGER NOT NULL,
    number INTEGER,
    char_from INTEGER NOT NULL,
    char_to INTEGER NOT NULL,
    PRIMARY KEY (document, position),
    FOREIGN KEY(document) REFERENCES documents (id) ON DELETE CASCADE
);
CREATE TABLE passages (
    id VARCHAR(32) NOT NULL,
    document VARCHAR(16) NOT NULL,
    position INTEGER NOT NULL,
    page_from INTEGER,
    page_to INTEGER,
    heading JSON NOT NULL,
    char_from INTEGER NOT NULL,
    char_to INTEGER NOT NULL,
    embedded BOOLEAN NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(document) REFERENCES documents (id) ON DELETE CASCADE
);
CREATE INDEX ix_passages_document ON passages (document);
INSERT INTO fletcher_catalog VALUES ('schema_version', '1');
INSERT INTO projects VALUES (1, 'local', '1', 3);
INSERT INTO documents VALUES ('d513d873b577823a', 1, 'old.md', 'md', '0000000000000000000000000000000000000000000000000000000000000000', 12, '[]', '2026-01-02 03:04:05.000000', 'An old tale.');
INSERT INTO pages VALUES ('d513d873b577823a', 0, NULL, 0, 12);
INSERT INTO passages VALUES ('3ffc7b5ab4abad14d6207f5e2625e58e', 'd513d873b577823a', 0, NULL, NULL, '[]', 0, 12, 0, 'An old tale.');
