/**
 * Loads another page instead of this one. Never resolves, so that a form that is being sent stays busy until the page is
 * gone and cannot be sent twice.
 */
export function redirectTo(url: string): Promise<never> {
  location.assign(url)
  return new Promise(() => undefined)
}
