import { clsx, type ClassValue } from 'clsx'

/** Joins class names; falsy ones fall out. There is no merging: a component does not pass two of one kind. */
export function cx(...values: ClassValue[]): string {
  return clsx(values)
}
