/* Pages for developers come after those for users, however well they match. */
const DEVELOPERS = /^(architecture|contracts|contributing|decisions|measured\/.*|release_checklist|replications\/.*|scikit_learn_checks|stability|theory\/.*)$/;
const AFTER_USERS = 10000;

/* Sphinx's own scores, of which only the last step differs. */
var Scorer = {
  score: ([docname, title, anchor, description, score]) =>
    DEVELOPERS.test(docname) ? score - AFTER_USERS : score,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
