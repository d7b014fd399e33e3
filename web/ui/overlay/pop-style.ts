/** Look of everything that floats: menus, popovers. */
export const popStyle = 'pop z-50 rounded-pop border border-border bg-raised shadow-pop'
