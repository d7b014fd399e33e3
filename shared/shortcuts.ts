/** A key, a sequence of two keys, or a chord, and what it does. Shown in the app and on the help page. */
export interface Shortcut {
  /** As they are written: letters in upper case, whether or not Shift is needed. */
  keys: readonly string[]
  /** The keys are pressed one after the other, not together. */
  sequence?: true
  /** English; the app translates it. */
  text: string
  /** Page it opens (below /web); not offered to users who can't open that page. */
  to?: string
}

/** Shortcuts that are used in one place. */
export interface ShortcutGroup {
  /** English; the app translates it. */
  title: string
  shortcuts: readonly Shortcut[]
}

/** Every shortcut of the dashboard, most important first. */
export const shortcutGroups: readonly ShortcutGroup[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: ['/'], text: 'Search' },
      { keys: ['Ctrl', 'K'], text: 'Search, actions first' },
      { keys: ['Ctrl', 'B'], text: 'Show or hide the sidebar' },
      { keys: ['F8'], text: 'Focus the latest message' },
      { keys: ['Esc'], text: 'Close what is open' },
      { keys: ['?'], text: 'Help and shortcuts' },
    ],
  },
  {
    title: 'Go to',
    shortcuts: [
      { keys: ['G', 'D'], sequence: true, text: 'Go to the dashboard', to: '/' },
      { keys: ['G', 'S'], sequence: true, text: 'Go to sites', to: '/site' },
      { keys: ['G', 'V'], sequence: true, text: 'Go to servers', to: '/server' },
      { keys: ['G', 'U'], sequence: true, text: 'Go to users', to: '/user' },
      { keys: ['G', 'O'], sequence: true, text: 'Go to the organization’s settings', to: '/organization' },
      { keys: ['G', 'B'], sequence: true, text: 'Go to billing', to: '/billing' },
      { keys: ['C', 'S'], sequence: true, text: 'Create a site', to: '/site/create' },
    ],
  },
  {
    title: 'Lists',
    shortcuts: [
      { keys: ['J'], text: 'Next row' },
      { keys: ['K'], text: 'Previous row' },
      { keys: ['Enter'], text: 'Open the row' },
      { keys: ['X'], text: 'Select the row' },
      { keys: ['Shift', 'X'], text: 'Select up to the row' },
      { keys: ['F'], text: 'Filter a list' },
      { keys: ['.'], text: 'Row menu' },
    ],
  },
  {
    title: 'Pages and forms',
    shortcuts: [
      { keys: ['L'], text: 'Open a site’s admin' },
      { keys: ['['], text: 'Previous tab' },
      { keys: [']'], text: 'Next tab' },
      { keys: ['Ctrl', 'Enter'], text: 'Submit form' },
    ],
  },
]
