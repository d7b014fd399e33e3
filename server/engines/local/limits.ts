/** Maximum size of a request body of a site; PHP-WASM keeps several copies in memory. */
export const maxBodyBytes: number = 64 * 1024 * 1024
/**
 * Maximum number of visitors waiting for one site's PHP. Each uses two connections of the dashboard's process; PHP handles
 * one at a time, so the last of them waits for most of a minute anyway.
 */
export const maxWaitingVisitors: number = 64
/** How long a visitor's request may run, in seconds: it keeps the others of its site waiting. */
export const requestSeconds: number = 60
