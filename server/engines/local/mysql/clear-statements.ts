import { databaseOf } from './site-statements.ts'

/** Lists tables and views of a site, each with its name in hexadecimal: a site can put anything into a name. */
export function namesStatement(site: string): string {
  return `SELECT TABLE_TYPE, HEX(TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${databaseOf(site)}';\n`
}

/** Removes what `namesStatement` listed. */
export function clearStatements(site: string, names: readonly (readonly string[])[]): string {
  const drops = names.map(([type = '', hex = '']) => {
    const name = Buffer.from(hex, 'hex').toString('utf8').replaceAll('`', '``')
    return `DROP ${type === 'VIEW' ? 'VIEW' : 'TABLE'} IF EXISTS \`${databaseOf(site)}\`.\`${name}\`;\n`
  })
  return `SET NAMES utf8mb4;\nSET FOREIGN_KEY_CHECKS = 0;\n${drops.join('')}`
}
