/** Terms for installations whose operator gave none. Blocks are parted by empty lines, `# ` marks headings. */
export function builtInTerms(product: string, host: string): string {
  return `
This installation of ${product} at ${host} is run by its operator, not by the makers of the software. What you agree with the operator comes first; the following holds where nothing else was agreed.

# Your account

Keep your password to yourself and give a true e-mail address: links to confirm it and to reset the password go there. What is done in your name is written to the activity log of your organization.

# Your sites and servers

They stay yours. You decide what runs on them and answer for it. ${product} changes them only on your command or by a schedule that you set.

# Your data

The operator keeps your name, e-mail address, the settings of your organizations and a log of actions. Nothing is sent to the makers of the software. Credentials of cloud providers are stored encrypted and used only for what you start.

# Leaving

You can delete your sites and ask the operator to delete your account. The activity log of an organization stays with the organization.

# No warranty

The software is free, under the GNU General Public License, version 3 or later, and comes without warranty of any kind.
`.trim()
}
