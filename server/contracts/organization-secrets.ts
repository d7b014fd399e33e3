/** Encrypts texts with the data key of an organization, bound to where they are stored (`aad`). */
export interface OrganizationSecrets {
  seal(organization: string, aad: string, text: string): Promise<string>
  /** Rejects if the text was sealed for another organization or place, or changed since. */
  open(organization: string, aad: string, sealed: string): Promise<string>
}
