import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import type { SiteSpec } from '../../engine.ts'

let fixture: EngineFixture
let site: SiteSpec

beforeAll(async () => {
  fixture = await startFixture()
  site = await fixture.create({ siteType: 'php' })
  await fixture.writeFile(site, 'merge-mysql.php', await readFile(new URL('./merge-mysql.php', import.meta.url)))
})
afterAll(() => fixture?.end())

/** Whether each statement is one that makes the table `fresh` and does nothing else. */
const makes = async (statements: readonly string[]): Promise<unknown> =>
  JSON.parse(
    await fixture.php(
      site,
      `class Easydash_Merge_Target {} require __DIR__ . '/merge-mysql.php';
       $makes = new ReflectionMethod( 'Easydash_Merge_Mysql_Target', 'makes' );
       echo json_encode( array_map( fn( $sql ) => $makes->invoke( null, $sql, 'fr\`esh' ), json_decode( base64_decode( '${Buffer.from(JSON.stringify(statements)).toString('base64')}' ) ) ) );`,
    ),
  )

test('of what a staging site says about a table, only the statement that makes it is executed', async () => {
  const head = 'CREATE TABLE `fr``esh` (\n  `id` int(11) NOT NULL'
  const good = [
    `${head},\n  PRIMARY KEY (\`id\`)\n) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci`,
    `${head} DEFAULT 'it''s \\' SELECT -- /* ; #' COMMENT 'UNION',\n  \`SELECT\` text,\n  CONSTRAINT \`c\` FOREIGN KEY (\`id\`) REFERENCES \`shop\` (\`id\`) ON DELETE CASCADE,\n  CHECK (json_valid(\`SELECT\`))\n) ENGINE=MyISAM`,
  ]
  const bad = [
    `DROP TABLE wp_users`,
    `CREATE OR REPLACE TABLE \`fr\`\`esh\` (\`id\` int) ENGINE=InnoDB`,
    `CREATE TABLE \`other\` (\`id\` int) ENGINE=InnoDB`,
    `${head}) ENGINE=InnoDB SELECT ID AS id FROM wp_users`,
    `${head}) ENGINE=InnoDB AS (SELECT 1)`,
    `${head}) ENGINE=InnoDB; DROP TABLE wp_users`,
    `${head} DEFAULT 'x\\'' SELECT 1, '') ENGINE=InnoDB`,
    `${head}) ENGINE=InnoDB /*!50100 SELECT 1 */`,
    `${head}) ENGINE=InnoDB DATA DIRECTORY='/tmp'`,
    `${head}) ENGINE=MERGE UNION=(wp_users)`,
    `${head}) ENGINE=FEDERATED CONNECTION='mysql://other'`,
    `${head}) ENGINE=CONNECT`,
    `${head}) ENGINE=InnoDB "`,
  ]
  expect(await makes(good)).toEqual(good.map(() => true))
  expect(await makes(bad)).toEqual(bad.map(() => false))
})
