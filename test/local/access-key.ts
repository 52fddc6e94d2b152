/** The access key of endpoints that tests start. */
export const ACCESS_KEY_ID = 'test';
