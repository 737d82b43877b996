// What axe-core finds that is serious, a text for each.
const done = arguments[arguments.length - 1];
const isGrave = ({ impact }) => ['serious', 'critical'].includes(impact);
const shown = ({ id, nodes }) => `${id} at ${nodes[0].html}`;
axe.run().then(({ violations }) => done(violations.filter(isGrave).map(shown)), (error) => done([String(error)]));
