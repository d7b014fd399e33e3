/** Keys and what they do. */
export interface Shortcut {
  /** As they are written: letters in upper case, whether or not Shift is needed. */
  keys: readonly string[]
  /** English; the app translates it. */
  text: string
}

/** Shortcuts that are used in one place. */
export interface ShortcutGroup {
  /** English; the app translates it. */
  title: string
  shortcuts: readonly Shortcut[]
}

/**
 * Shortcuts of the dashboard, most important first, shown in the app and on the help page. Those that open a page are in its line
 * of `web/routes.tsx`.
 */
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
