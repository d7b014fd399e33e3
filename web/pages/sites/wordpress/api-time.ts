/** Seconds since 1970 as a time of the API. */
export function apiTime(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().slice(0, 19).replace('T', ' ')}.000000`
}
