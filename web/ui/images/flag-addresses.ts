/** Address of each flag's picture, by its file's path; the pictures themselves are fetched one by one. */
export const flagAddresses: Readonly<Record<string, string>> = import.meta.glob<string>(
  '../../../node_modules/country-flag-icons/3x2/*.svg',
  { eager: true, query: '?url&no-inline', import: 'default' },
)
