/**
 * Prevents SIGUSR1 from opening Node's inspector, through which any process of this user could run code in this one
 * (https://nodejs.org/api/process.html#signal-events). For processes started by users, who choose their own arguments; those
 * we start get `--disable-sigusr1`.
 */
export function ignoreInspectorSignal(): void {
  process.on('SIGUSR1', () => undefined)
}
