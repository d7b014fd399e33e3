/** The folders of a site that operations on its files need, and its user; null: everything belongs to one user. */
export interface SiteFolders {
  readonly root: string
  readonly trash: string
  readonly uid: number | null
}
