/** Largest request body of a site; PHP-WASM holds it in memory several times. */
export const maxBodyBytes: number = 64 * 1024 * 1024
/**
 * Most visitors of one site who wait for its PHP at once. Each takes two connections of the dashboard's process; one PHP
 * after the other answers them, so the last of so many waits for most of a minute anyway.
 */
export const maxWaitingVisitors: number = 64
