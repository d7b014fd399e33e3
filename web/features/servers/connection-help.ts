import type { ConnectionName } from '#shared/doctypes/connections.ts'
import { ec2Policy } from '#shared/rules/ec2-policy.ts'

/** Where each vendor documents how to create credentials. */
export const vendorDocs: Readonly<Record<ConnectionName, string>> = {
  hetzner: 'https://docs.hetzner.com/cloud/api/getting-started/generating-api-token/',
  digitalocean: 'https://docs.digitalocean.com/reference/api/create-personal-access-token/',
  aws: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html',
  wpc: 'https://wp.cloud/',
  bucket: 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/creating-bucket.html',
  github:
    'https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/managing-your-personal-access-tokens',
  slack: 'https://docs.slack.dev/authentication/tokens/',
}

/** Minimal IAM policy of an AWS key, to paste there. */
export const awsPolicy = JSON.stringify(ec2Policy, null, 2)
