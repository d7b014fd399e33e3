/** The longest time debug mode stays on. */
export const maxDebugHours = 168

/** The same in milliseconds. */
export const maxDebugMs: number = maxDebugHours * 3_600_000
