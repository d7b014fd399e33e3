/**
 * The folder of a site in which its files are assembled before they are moved into place: only we can enter it, so that
 * nobody changes an incomplete tree or one that is changing owners.
 */
export const stagingName = 'staging'
