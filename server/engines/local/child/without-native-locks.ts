/*
 * Replaces `fs-ext-extra-prebuilt` in a site's process (`module-hooks.ts`): PHP-WASM imports it for file locks between
 * processes, which sites don't use. The package is an addon, and a process that may load one addon may load any.
 */

function throwUnsupported(): never {
  throw new Error('This process has no native file locks.')
}

/** No lock modes: nothing is locked here. */
export const constants = {}
export {
  throwUnsupported as fcntlSync,
  throwUnsupported as flockSync,
  throwUnsupported as lockFileExSync,
  throwUnsupported as unlockFileExSync,
}
