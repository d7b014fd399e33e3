/** Largest request body of a site; PHP-WASM holds it in memory several times. */
export const maxBodyBytes: number = 64 * 1024 * 1024
