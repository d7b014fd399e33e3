import { expect, test } from 'vitest'
import { protectsUploads } from './ee-wordpress.ts'

const nested = (folder: string) =>
  `server {\n  location ${folder} {\n    location ~ \\.php$ {\n      # {not} served\n      deny all;\n    }\n  }\n}`

test.each([
  ['the rule of EasyEngine', nested('/wp-content/uploads/'), true],
  ['one that beats other rules', nested('^~ /wp-content/uploads'), true],
  [
    'one rule for folder and files',
    'location ~* /(?:uploads|files)/.*\\.php$ {\n  access_log off;\n  deny all;\n}',
    true,
  ],
  ['another folder', nested('/wp-content/cache/'), false],
  [
    'uploads that are served as they are',
    'location /wp-content/uploads/ { expires max; }\nlocation ~ \\.php$ { deny all; }',
    false,
  ],
  ['a rule that is a comment', '# location ~ /uploads/.*\\.php$ { deny all; }', false],
  ['nothing', '', false],
  ['a text that is made to take long', `location ~ ${'uploads'.repeat(9000)}${'{'.repeat(9000)}`, false],
])('PHP among the uploads: %s', (_what, config, isProtected) => {
  expect(protectsUploads(config)).toBe(isProtected)
})
