import { usableLanguage } from '#web/lib/i18n/locale.ts'

/**
 * uPlot makes a number format for `navigator.language` when it is loaded, which throws for what some systems report (`en-US@posix`).
 * Imported before it.
 */
const usable = usableLanguage(navigator.language)
if (usable !== navigator.language) Object.defineProperty(navigator, 'language', { value: usable, configurable: true })
