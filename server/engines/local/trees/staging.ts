/**
 * The folder of a site in which its files are put together before they get to their places: only we can enter it, so
 * that nobody changes a tree that is half written or half handed over.
 */
export const stagingName = 'staging'
