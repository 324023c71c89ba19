// The page of --html begins with what stands in it; the playground (data/page/playground) has no
// trace yet, and shows one when there is.
tbt.start();
