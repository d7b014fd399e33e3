/** A key, a sequence of two keys, or a chord, and what it does. Shown in the app and on the help page. */
export interface Shortcut {
  keys: readonly string[]
  /** English; the app translates it. */
  text: string
  /** Page it opens (below /web); not offered to users who can't open that page. */
  to?: string
}

/** Every shortcut of the dashboard, most important first. */
export const shortcuts: readonly Shortcut[] = [
  { keys: ['/'], text: 'Search' },
  { keys: ['Ctrl', 'K'], text: 'Search, actions first' },
  { keys: ['g', 'd'], text: 'Go to the dashboard', to: '/' },
  { keys: ['g', 's'], text: 'Go to sites', to: '/site' },
  { keys: ['g', 'v'], text: 'Go to servers', to: '/server' },
  { keys: ['g', 'u'], text: 'Go to users', to: '/user' },
  { keys: ['g', 'o'], text: 'Go to the organization’s settings', to: '/organization' },
  { keys: ['g', 'b'], text: 'Go to billing', to: '/billing' },
  { keys: ['c', 's'], text: 'Create a site', to: '/site/create' },
  { keys: ['j'], text: 'Next row' },
  { keys: ['k'], text: 'Previous row' },
  { keys: ['Enter'], text: 'Open the row' },
  { keys: ['x'], text: 'Select the row' },
  { keys: ['Shift', 'X'], text: 'Select up to the row' },
  { keys: ['f'], text: 'Filter a list' },
  { keys: ['.'], text: 'Row menu' },
  { keys: ['l'], text: 'Open a site’s admin' },
  { keys: ['['], text: 'Previous tab' },
  { keys: [']'], text: 'Next tab' },
  { keys: ['Ctrl', 'Enter'], text: 'Submit form' },
  { keys: ['Ctrl', 'B'], text: 'Show or hide the sidebar' },
  { keys: ['F8'], text: 'Focus the latest message' },
  { keys: ['Esc'], text: 'Close what is open' },
  { keys: ['?'], text: 'Help and shortcuts' },
]
