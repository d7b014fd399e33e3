/** Whether a value is one of a fixed list, whose type it then has. */
export function isOneOf<T>(list: readonly T[], value: unknown): value is T {
  return list.some((one) => one === value)
}

/** Names of the own properties of an object of ours, which has no others than its type says. */
export function keysOf<T extends object>(object: T): (keyof T & string)[] {
  return Object.keys(object) as (keyof T & string)[]
}
