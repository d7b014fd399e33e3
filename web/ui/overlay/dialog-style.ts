/** Position and style of centered dialogs; a bottom sheet on phones. */
export const dialogBox =
  'pop sheet fixed z-50 flex touch-pinch-zoom flex-col border border-border bg-raised shadow-pop outline-none ' +
  'md:top-1/2 md:left-1/2 md:max-h-[85dvh] md:-translate-x-1/2 md:-translate-y-1/2 md:rounded-[12px] ' +
  'max-md:inset-x-0 max-md:bottom-0 max-md:max-h-[92dvh] max-md:rounded-t-sheet'

/** Backdrop of a dialog or drawer. A finger on it moves nothing: Safari scrolls a locked page while its toolbar is small. */
export const scrimStyle = 'scrim fixed touch-pinch-zoom inset-0 z-40 bg-scrim'
