import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { tablesIn } from './tables-in-dump.ts'

const dump = String.raw`-- MariaDB dump
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET TIME_ZONE='+00:00' */;
DROP TABLE IF EXISTS ${'`wp_a`'};
CREATE TABLE ${'`wp_a`'} (
  ${'`x`'} text COMMENT 'INSERT INTO ${'`wp_b`'};',
  KEY ${'`x`'} (${'`x`'})
) ENGINE=InnoDB;
LOCK TABLES ${'`wp_a`'} WRITE;
INSERT INTO ${'`wp_a`'} VALUES ('a\nINSERT INTO ${'`wp_b`'} VALUES (1);'),('DROP TABLE ${'`wp_a`'};');
INSERT INTO ${'`wp_a`'} VALUES
('b;'),
('c');
UNLOCK TABLES;
CREATE TABLE ${'`wp_b`'} (
  ${'`y`'} int
);
INSERT INTO ${'`wp_b`'} VALUES (1);
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=${'`u`'}@${'`h`'}*/ /*!50003 TRIGGER t AFTER INSERT ON ${'`wp_c`'} FOR EACH ROW BEGIN
INSERT INTO ${'`wp_a`'} VALUES ('from a trigger');
END */;;
DELIMITER ;
-- Dump completed`

const wanted = String.raw`/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET TIME_ZONE='+00:00' */;
DROP TABLE IF EXISTS ${'`new_0`'};
CREATE TABLE ${'`new_0`'} (
  ${'`x`'} text COMMENT 'INSERT INTO ${'`wp_b`'};',
  KEY ${'`x`'} (${'`x`'})
) ENGINE=InnoDB;
INSERT INTO ${'`new_0`'} VALUES ('a\nINSERT INTO ${'`wp_b`'} VALUES (1);'),('DROP TABLE ${'`wp_a`'};');
INSERT INTO ${'`new_0`'} VALUES
('b;'),
('c');
`

const read = async (text: string, names: readonly string[], piece = text.length) => {
  const pieces = async function* () {
    for (let at = 0; at < text.length; at += piece) yield Buffer.from(text.slice(at, at + piece), 'latin1')
  }
  return (await buffer(tablesIn(pieces(), new Map(names.map((name, at) => [name, `new_${at}`]))))).toString('latin1')
}

test('of a dump, the statements of some tables remain, under other names, however it comes', async () => {
  for (const piece of [1, 7, 64, dump.length]) expect(await read(dump, ['wp_a'], piece)).toBe(wanted)
})

test.each([
  ['with a trigger', dump.replace('ON `wp_c`', 'ON `wp_a`'), 'unsupported'],
  [
    'with a foreign key',
    dump.replace('KEY `x`', 'CONSTRAINT `k` FOREIGN KEY (`x`) REFERENCES `wp_z` (`i`),\n  KEY `x`'),
    'unsupported',
  ],
  [
    'that a foreign key refers to',
    dump.replace('`y` int', '`y` int,\n  CONSTRAINT `k` FOREIGN KEY (`y`) REFERENCES `wp_a` (`x`)'),
    'unsupported',
  ],
  ['that is not there', dump.replaceAll('`wp_a`', '`wp_other`'), 'invalid'],
])('a table %s is refused', async (_title, text, code) => {
  await expect(read(text, ['wp_a'])).rejects.toMatchObject({ code })
})
