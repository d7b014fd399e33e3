/** Two keys, pressed one after the other, that open a page that creates something; its buttons show them. */
export const createKeys = { '/site/create': ['C', 'S'], '/server/create': ['C', 'V'] } as const
