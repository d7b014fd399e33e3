/** Style of floating layers: menus, popovers. */
export const popStyle = 'pop z-50 rounded-pop border border-border bg-raised shadow-pop'
