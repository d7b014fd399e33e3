/** Tables of WordPress as MySQL 8 dumps them, with the rows of a site at an address of its own. */
export function dumpOf({ prefix = 'wp_', url = 'https://www.example.com', more = '' } = {}): string {
  const p = prefix
  const q = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
  const widget = `a:2:{s:4:"text";s:${url.length + 6}:"${url}/about";s:3:"two";a:1:{i:0;s:${url.length}:"${url}";}}`
  return `-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
/*M!999999\\- enable the sandbox mode */
SET @@SESSION.SQL_LOG_BIN= 0;
DROP TABLE IF EXISTS \`${p}options\`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
CREATE TABLE \`${p}options\` (
  \`option_id\` bigint unsigned NOT NULL AUTO_INCREMENT,
  \`option_name\` varchar(191) COLLATE utf8mb4_0900_ai_ci NOT NULL DEFAULT '',
  \`option_value\` longtext COLLATE utf8mb4_0900_ai_ci NOT NULL,
  \`autoload\` varchar(20) COLLATE utf8mb4_0900_ai_ci NOT NULL DEFAULT 'yes',
  PRIMARY KEY (\`option_id\`),
  UNIQUE KEY \`option_name\` (\`option_name\`),
  KEY \`autoload\` (\`autoload\`)
) ENGINE=InnoDB AUTO_INCREMENT=900 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
LOCK TABLES \`${p}options\` WRITE;
/*!40000 ALTER TABLE \`${p}options\` DISABLE KEYS */;
INSERT INTO \`${p}options\` VALUES (1,'siteurl',${q(url)},'yes'),(2,'home',${q(url)},'yes'),(3,'blogname','Ann\\'s \\"Shop\\" – ü;','yes'),
(4,'permalink_structure','/%postname%/','yes'),(5,'template','twentytwentyfour','yes'),(6,'stylesheet','twentytwentyfour','yes'),
(7,'active_plugins','a:0:{}','yes'),(8,'db_version','57155','yes'),(9,'widget_own',${q(widget)},'yes'),
(10,'${p}user_roles','a:1:{s:13:"administrator";a:2:{s:4:"name";s:13:"Administrator";s:12:"capabilities";a:2:{s:13:"switch_themes";b:1;s:8:"level_10";b:1;}}}','yes'),
(11,'odd',_binary 'a;b -- c /* d */ \\\\ \\0 \\Z','no'),(12,'hex',0x616263,'no');
/*!40000 ALTER TABLE \`${p}options\` ENABLE KEYS */;
UNLOCK TABLES;
CREATE TABLE \`${p}posts\` (
  \`ID\` bigint unsigned NOT NULL AUTO_INCREMENT,
  \`post_author\` bigint unsigned NOT NULL DEFAULT '0',
  \`post_date\` datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
  \`post_date_gmt\` datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
  \`post_content\` longtext NOT NULL,
  \`post_title\` text NOT NULL,
  \`post_excerpt\` text NOT NULL,
  \`post_status\` varchar(20) NOT NULL DEFAULT 'publish',
  \`comment_status\` varchar(20) NOT NULL DEFAULT 'open',
  \`ping_status\` varchar(20) NOT NULL DEFAULT 'open',
  \`post_password\` varchar(255) NOT NULL DEFAULT '',
  \`post_name\` varchar(200) NOT NULL DEFAULT '',
  \`to_ping\` text NOT NULL,
  \`pinged\` text NOT NULL,
  \`post_modified\` datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
  \`post_modified_gmt\` datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
  \`post_content_filtered\` longtext NOT NULL,
  \`post_parent\` bigint unsigned NOT NULL DEFAULT '0',
  \`guid\` varchar(255) NOT NULL DEFAULT '',
  \`menu_order\` int NOT NULL DEFAULT '0',
  \`post_type\` varchar(20) NOT NULL DEFAULT 'post',
  \`post_mime_type\` varchar(100) NOT NULL DEFAULT '',
  \`comment_count\` bigint NOT NULL DEFAULT '0',
  PRIMARY KEY (\`ID\`),
  KEY \`post_name\` (\`post_name\`(191)),
  KEY \`type_status_date\` (\`post_type\`,\`post_status\`,\`post_date\`,\`ID\`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
INSERT INTO \`${p}posts\` (\`ID\`, \`post_author\`, \`post_date\`, \`post_date_gmt\`, \`post_content\`, \`post_title\`, \`post_excerpt\`, \`post_name\`, \`to_ping\`, \`pinged\`, \`post_modified\`, \`post_modified_gmt\`, \`post_content_filtered\`, \`guid\`) VALUES
(7,1,'2024-05-01 10:00:00','2024-05-01 10:00:00','See <a href=\\"${url}/second/\\">here</a>, <a href=\\"${url.replace('https://www.', 'http://')}/nowhere/\\">there</a>.\\nÄ','First','','first','','','2024-05-01 10:00:00','2024-05-01 10:00:00','','${url}/?p=7'),
(8,1,'0000-00-00 00:00:00','2024-05-01 10:00:00','Text','Second','','second','','','2024-05-01 10:00:00','2024-05-01 10:00:00','','${url}/?p=8');
CREATE TABLE \`${p}postmeta\` (\`meta_id\` bigint unsigned NOT NULL AUTO_INCREMENT, \`post_id\` bigint unsigned NOT NULL DEFAULT '0', \`meta_key\` varchar(255) DEFAULT NULL, \`meta_value\` longtext, PRIMARY KEY (\`meta_id\`), KEY \`post_id\` (\`post_id\`), KEY \`meta_key\` (\`meta_key\`(191))) ENGINE=InnoDB;
INSERT INTO \`${p}postmeta\` VALUES (1,7,'_wp_attached_file','2024/05/gone.jpg'),(2,7,'damaged','a:1:{i:0;s:9:"short";}'),(3,7,NULL,NULL);
CREATE TABLE \`${p}users\` (\`ID\` bigint unsigned NOT NULL AUTO_INCREMENT, \`user_login\` varchar(60) NOT NULL DEFAULT '', \`user_pass\` varchar(255) NOT NULL DEFAULT '', \`user_nicename\` varchar(50) NOT NULL DEFAULT '', \`user_email\` varchar(100) NOT NULL DEFAULT '', \`user_url\` varchar(100) NOT NULL DEFAULT '', \`user_registered\` datetime NOT NULL DEFAULT '0000-00-00 00:00:00', \`user_activation_key\` varchar(255) NOT NULL DEFAULT '', \`user_status\` int NOT NULL DEFAULT '0', \`display_name\` varchar(250) NOT NULL DEFAULT '', PRIMARY KEY (\`ID\`), KEY \`user_login_key\` (\`user_login\`));
INSERT INTO \`${p}users\` VALUES (1,'ann','$P$x','ann','ann@example.com','','2024-05-01 10:00:00','',0,'Ann');
CREATE TABLE \`${p}usermeta\` (\`umeta_id\` bigint unsigned NOT NULL AUTO_INCREMENT, \`user_id\` bigint unsigned NOT NULL DEFAULT '0', \`meta_key\` varchar(255) DEFAULT NULL, \`meta_value\` longtext, PRIMARY KEY (\`umeta_id\`), KEY \`user_id\` (\`user_id\`));
INSERT INTO \`${p}usermeta\` VALUES (1,1,'${p}capabilities','a:1:{s:13:"administrator";b:1;}'),(2,1,'${p}user_level','10');
CREATE TABLE \`${p}terms\` (\`term_id\` bigint unsigned NOT NULL AUTO_INCREMENT, \`name\` varchar(200) NOT NULL DEFAULT '', \`slug\` varchar(200) NOT NULL DEFAULT '', \`term_group\` bigint NOT NULL DEFAULT '0', PRIMARY KEY (\`term_id\`));
CREATE TABLE \`${p}term_taxonomy\` (\`term_taxonomy_id\` bigint unsigned NOT NULL AUTO_INCREMENT, \`term_id\` bigint unsigned NOT NULL DEFAULT '0', \`taxonomy\` varchar(32) NOT NULL DEFAULT '', \`description\` longtext NOT NULL, \`parent\` bigint unsigned NOT NULL DEFAULT '0', \`count\` bigint NOT NULL DEFAULT '0', PRIMARY KEY (\`term_taxonomy_id\`));
CREATE TABLE \`${p}term_relationships\` (\`object_id\` bigint unsigned NOT NULL DEFAULT '0', \`term_taxonomy_id\` bigint unsigned NOT NULL DEFAULT '0', \`term_order\` int NOT NULL DEFAULT '0', PRIMARY KEY (\`object_id\`,\`term_taxonomy_id\`));
CREATE TABLE \`${p}termmeta\` (\`meta_id\` bigint unsigned NOT NULL AUTO_INCREMENT, \`term_id\` bigint unsigned NOT NULL DEFAULT '0', \`meta_key\` varchar(255) DEFAULT NULL, \`meta_value\` longtext, PRIMARY KEY (\`meta_id\`));
CREATE TABLE \`${p}comments\` (\`comment_ID\` bigint unsigned NOT NULL AUTO_INCREMENT, \`comment_post_ID\` bigint unsigned NOT NULL DEFAULT '0', \`comment_author\` tinytext NOT NULL, \`comment_author_email\` varchar(100) NOT NULL DEFAULT '', \`comment_author_url\` varchar(200) NOT NULL DEFAULT '', \`comment_author_IP\` varchar(100) NOT NULL DEFAULT '', \`comment_date\` datetime NOT NULL DEFAULT '0000-00-00 00:00:00', \`comment_date_gmt\` datetime NOT NULL DEFAULT '0000-00-00 00:00:00', \`comment_content\` text NOT NULL, \`comment_karma\` int NOT NULL DEFAULT '0', \`comment_approved\` varchar(20) NOT NULL DEFAULT '1', \`comment_agent\` varchar(255) NOT NULL DEFAULT '', \`comment_type\` varchar(20) NOT NULL DEFAULT 'comment', \`comment_parent\` bigint unsigned NOT NULL DEFAULT '0', \`user_id\` bigint unsigned NOT NULL DEFAULT '0', PRIMARY KEY (\`comment_ID\`));
CREATE TABLE \`${p}commentmeta\` (\`meta_id\` bigint unsigned NOT NULL AUTO_INCREMENT, \`comment_id\` bigint unsigned NOT NULL DEFAULT '0', \`meta_key\` varchar(255) DEFAULT NULL, \`meta_value\` longtext, PRIMARY KEY (\`meta_id\`));
CREATE TABLE \`${p}links\` (\`link_id\` bigint unsigned NOT NULL AUTO_INCREMENT, \`link_url\` varchar(255) NOT NULL DEFAULT '', PRIMARY KEY (\`link_id\`));
${more}
-- Dump completed on 2024-05-01 10:00:00
`
}
