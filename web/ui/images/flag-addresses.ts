/** URL of each flag by its file path; the images are loaded individually. */
export const flagAddresses: Readonly<Record<string, string>> = import.meta.glob<string>(
  '../../../node_modules/country-flag-icons/3x2/*.svg',
  { eager: true, query: '?url&no-inline', import: 'default' },
)
