/**
 * Keeps SIGUSR1 from opening Node's inspector, through which any process of this user could run code in this one
 * (https://nodejs.org/api/process.html#signal-events). For a process that is started by people, whose arguments are
 * theirs; the ones we start get `--disable-sigusr1`.
 */
export function ignoreInspectorSignal(): void {
  process.on('SIGUSR1', () => undefined)
}
