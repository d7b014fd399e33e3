/** Settings that hold a secret; `environment.test.ts` compares them with the server's table. */
export const secretSettings = [
  'DATABASE_URL',
  'EASYDASH_SECRET_KEYS',
  'SMTP_URL',
  'EASYDASH_LOCAL_MYSQL_URL',
  'EASYDASH_METRICS_TOKEN',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
]

/**
 * Our environment without the secrets of the installation, for tools that run code of packages: the installer, the bundler.
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentForTools() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !secretSettings.includes(name)))
}
