import { clsx, type ClassValue } from 'clsx'

/** Joins class names and drops falsy ones. Conflicting classes are not merged, so don't pass two of one kind. */
export function cx(...values: ClassValue[]): string {
  return clsx(values)
}
