/**
 * Common passwords, and words of them, that the dictionaries of the estimator lack or take for rare. Each is of one of the
 * lists of most used passwords that are published every year, or names what this service is about.
 */
export const COMMON_PASSWORDS: string[] = `
  demo openid oauth mysql linkedin abcd abcde abcdef abcdefg abcdefgh abcdefghi
  contraseña bienvenue sifre heslo senha parola wachtwoord haslo salasana lozinka jelszo motdepasse cambiami
  ichliebedich ichliebe ichunddu meinhund bienchen engelchen erdbeere flocke schnulli podolski
  ilovemymom ilovemydad theworldinyourhand lincolnboy woaini tianya indya kapler jobandtalent turktelekom czechout ohmnamah
  aabb1122 qqww1122 zag12wsx 1g2w3e4r pep4teens gapostar huhbbhzu78 1314520 5201314 7758521
`
  .trim()
  .split(/\s+/)
