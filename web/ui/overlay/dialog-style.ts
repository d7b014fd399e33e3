/** Position and style of centered dialogs; a bottom sheet on phones. */
export const dialogBox =
  'pop sheet fixed z-50 flex flex-col border border-border bg-raised shadow-pop outline-none ' +
  'md:top-1/2 md:left-1/2 md:max-h-[85dvh] md:-translate-x-1/2 md:-translate-y-1/2 md:rounded-[12px] ' +
  'max-md:inset-x-0 max-md:bottom-0 max-md:max-h-[92dvh] max-md:rounded-t-sheet'

/** Backdrop of a dialog or drawer. */
export const scrimStyle = 'scrim fixed inset-0 z-40 bg-scrim'
