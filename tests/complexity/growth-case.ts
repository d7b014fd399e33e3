/** One function and one family of hostile inputs for it. */
export interface GrowthCase {
  name: string
  /** An input of about `size` characters. */
  input(size: number): string
  run(input: string): unknown
}

/** An input that repeats `pump` between a beginning and an end. */
export function repeated(prefix: string, pump: string, suffix: string): (size: number) => string {
  return (size) => prefix + pump.repeat(Math.max(1, Math.ceil(size / pump.length))) + suffix
}
