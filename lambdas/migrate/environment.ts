/** Variables with the secrets of the roles that migrations create; the function itself is the database's admin. */
export const WRITER_SECRET_ARN_VARIABLE = 'WRITER_SECRET_ARN';
export const READER_SECRET_ARN_VARIABLE = 'READER_SECRET_ARN';

/** Folder with the migrations in the function's bundle. */
export const MIGRATIONS_FOLDER = 'migrations';
