/** The largest archive with a site that can be uploaded (bytes): the format's classic fields hold no more. */
export const maxImportBytes = 4 * 1_073_741_824 - 1
